// Package harness runs the DeepSeek Harness (dsh): it finds the installed
// component and a Node to run it, starts one process per home, proves that it is
// ready, watches it, stops it, and cleans up after one whose host died.
package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"strata.dev/bridge/host/internal/say"
)

// Environment variables that name the component.
const (
	EnvHarness    = "STRATA_HARNESS_DIR"    // the Harness's folder
	EnvComponents = "STRATA_COMPONENTS_DIR" // a folder with the Harness in harness/
)

const packageName = "@deepseek-ai/dsh"

// Component is an installed Harness.
type Component struct {
	Dir     string // of the package @deepseek-ai/dsh; absolute
	Bin     string // the script that Node runs; absolute
	Version string // of the package, such as "0.1.0-rc.8"
}

// Locate finds the component: at STRATA_HARNESS_DIR, else in
// STRATA_COMPONENTS_DIR/harness where that folder exists, else at dir, a flag's
// value. A folder that was named counts: one that holds no Harness is an *Error
// (KindMissing, KindBroken), not a reason to look further.
func Locate(getenv func(string) string, dir string) (Component, error) {
	if named := getenv(EnvHarness); named != "" {
		return Open(named)
	}
	if components := getenv(EnvComponents); components != "" {
		named := filepath.Join(components, "harness")
		if _, err := os.Stat(named); err == nil || dir == "" {
			return Open(named)
		}
	}
	if dir == "" {
		return Component{}, newError(KindMissing, "no folder was named", say.Sentence(say.AgentMissing))
	}
	return Open(dir)
}

// Open reads the component in dir: the package @deepseek-ai/dsh itself, a folder
// that it is installed into, or a built checkout of its repository.
func Open(dir string) (Component, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Component{}, fmt.Errorf("opening harness: %w", err)
	}
	for _, in := range []string{"node_modules/@deepseek-ai/dsh", ".", "apps/cli"} {
		c, err := openPackage(filepath.Join(dir, filepath.FromSlash(in)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Component{}, newError(KindBroken, err.Error(), say.Sentence(say.HarnessBroken, "path", dir))
		}
		return c, nil
	}
	return Component{}, newError(KindMissing, dir+" holds no "+packageName, say.Sentence(say.AgentMissing))
}

// openPackage gives fs.ErrNotExist where dir is not the package.
func openPackage(dir string) (Component, error) {
	data, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return Component{}, err
	}
	var manifest struct {
		Name    string            `json:"name"`
		Version string            `json:"version"`
		Bin     map[string]string `json:"bin"`
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		return Component{}, fmt.Errorf("%s/package.json: %w", dir, err)
	}
	if manifest.Name != packageName {
		return Component{}, fs.ErrNotExist
	}
	if manifest.Version == "" || manifest.Bin["dsh"] == "" {
		return Component{}, fmt.Errorf("%s/package.json names no version or no program", dir)
	}
	bin := filepath.Join(dir, filepath.FromSlash(manifest.Bin["dsh"]))
	if info, err := os.Stat(bin); err != nil || !info.Mode().IsRegular() {
		return Component{}, fmt.Errorf("%s is not there: the package is not built or not whole", bin)
	}
	return Component{Dir: dir, Bin: bin, Version: manifest.Version}, nil
}
