package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build compiles a guest: the package of command pkg as seen from folder dir,
// with the flags that the plugins' own build uses.
func Build(dir, pkg, out string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-buildmode=c-shared", "-o", out, pkg)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", pkg, err, said)
	}
	return nil
}

// BuildAll compiles the guests of all cases into dir and gives their paths by
// plugin; root is the repository. Under the race detector it also fills the
// user's compile cache.
func BuildAll(root, dir string) (map[string]string, error) {
	modules := map[string]string{}
	for _, g := range []struct{ plugin, from, pkg string }{
		{"rogue", "wasm", "./conformance/rogue"},
		{"probe", "plugins", "./cmd/conformance"},
		{"gate", "plugins", "./cmd/strata"},
	} {
		out := filepath.Join(dir, g.plugin+".wasm")
		if err := Build(filepath.Join(root, g.from), g.pkg, out); err != nil {
			return nil, err
		}
		modules[g.plugin] = out
	}
	if raceDetector {
		return modules, warm(filepath.Join(root, "wasm"), dir, modules)
	}
	return modules, nil
}

// warm lets a process without the race detector fill the compile cache: with
// it, a compile takes ten times as long. wazero keys the cache by its version,
// which a test binary takes for "dev".
func warm(wasm, dir string, modules map[string]string) error {
	command := filepath.Join(dir, "strata-plugin")
	build := exec.Command("go", "build", "-ldflags=-X github.com/tetratelabs/wazero/internal/version.version=dev", "-o", command, "./cmd/strata-plugin")
	build.Dir = wasm
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the command: %w\n%s", err, said)
	}
	for _, module := range modules {
		if said, err := exec.Command(command, "inspect", "--wasm", module).CombinedOutput(); err != nil {
			return fmt.Errorf("compiling %s: %w\n%s", module, err, said)
		}
	}
	return nil
}
