package kit

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Root is the repository's folder: the nearest one above that holds go.work.
var Root = sync.OnceValue(func() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(fmt.Sprintf("kit: %v", err))
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			panic("kit: no go.work above the test's folder")
		}
		dir = up
	}
})

// Pinned is the folder of the pinned Harness.
func Pinned() string { return filepath.Join(Root(), "e2e", "harness") }

// HarnessDir is the folder that the Harness under test is installed into.
func HarnessDir() string {
	if dir := os.Getenv("STRATA_HARNESS_DIR"); dir != "" {
		return dir
	}
	return Pinned()
}

// harnessBin finds the script that Node runs in an installation, the package
// itself or a built checkout.
func harnessBin(dir string) (string, error) {
	for _, in := range []string{"node_modules/@deepseek-ai/dsh", ".", "apps/cli"} {
		at := filepath.Join(dir, filepath.FromSlash(in))
		data, err := os.ReadFile(filepath.Join(at, "package.json"))
		if err != nil {
			continue
		}
		var manifest struct {
			Name string            `json:"name"`
			Bin  map[string]string `json:"bin"`
		}
		if err := json.Unmarshal(data, &manifest); err != nil {
			return "", fmt.Errorf("finding the Harness: %s: %w", at, err)
		}
		if manifest.Name == "@deepseek-ai/dsh" {
			return filepath.Join(at, filepath.FromSlash(manifest.Bin["dsh"])), nil
		}
	}
	return "", fmt.Errorf("finding the Harness: %s holds no @deepseek-ai/dsh; run make test, which installs it", dir)
}

// Node is a Node that the Harness runs on (22.19 or newer, as its package.json
// says): of STRATA_NODE, the PATH, .tools. The test fails where there is none.
func Node(t testing.TB) string {
	t.Helper()
	path, err := findNode()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var findNode = sync.OnceValues(func() (string, error) {
	if named := os.Getenv("STRATA_NODE"); named != "" {
		return named, nodeFits(named)
	}
	candidates := []string{"node", filepath.Join(Root(), ".tools", "bin", "node")}
	more, _ := filepath.Glob(filepath.Join(Root(), ".tools", "node_modules", "node-*", "bin", "node")) // the pattern is good
	var all error
	for _, c := range append(candidates, more...) {
		path, err := exec.LookPath(c)
		if err == nil {
			if err = nodeFits(path); err == nil {
				return filepath.Abs(path)
			}
		}
		all = errors.Join(all, err)
	}
	return "", fmt.Errorf("finding a Node that is 22.19 or newer: %w", all)
})

var nodeVersion = regexp.MustCompile(`^v(\d+)\.(\d+)\.`)

func nodeFits(path string) error {
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return fmt.Errorf("%s --version: %w", path, err)
	}
	m := nodeVersion.FindStringSubmatch(string(out))
	if m == nil {
		return fmt.Errorf("%s --version answers %q", path, out)
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	if major < 22 || major == 22 && minor < 19 {
		return fmt.Errorf("%s is %s", path, strings.TrimSpace(string(out)))
	}
	return nil
}
