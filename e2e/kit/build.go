package kit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// HostBinary builds strata-host, with the race detector where this test has it,
// once per test process, and gives its path.
func HostBinary(t testing.TB) string { return built(t, hostBinary) }

// pretendHostBinary builds a strata-host that asks search services which the environment
// names (STRATA_PRETEND_EXA …), for tests alone.
var pretendHostBinary = sync.OnceValues(func() (string, error) {
	return goBuild("host", "./cmd/strata-host", "strata-host-pretend", "-tags=pretend")
})

// PretendHostBinary is HostBinary with the search services that a test pretends to be.
func PretendHostBinary(t testing.TB) string { return built(t, pretendHostBinary) }

// Wasm brings shim/dist/strata.wasm up to date by make wasm, once per test
// process, and gives its path.
func Wasm(t testing.TB) string { return built(t, wasm) }

// Shim is the folder of the shim, its wasm up to date.
func Shim(t testing.TB) string {
	t.Helper()
	return filepath.Dir(filepath.Dir(Wasm(t)))
}

func built(t testing.TB, build func() (string, error)) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var hostBinary = sync.OnceValues(func() (string, error) {
	return goBuild("host", "./cmd/strata-host", "strata-host")
})

var wasm = sync.OnceValues(func() (string, error) {
	path := filepath.Join(Root(), "shim", "dist", "strata.wasm")
	return path, locked("wasm", func() error {
		return command(Root(), "make", "--no-print-directory", "wasm")
	})
})

// goBuild builds a program of a module into .run/e2e/bin.
func goBuild(module, pkg, name string, flags ...string) (string, error) {
	out := filepath.Join(Root(), ".run", "e2e", "bin", name)
	args := append([]string{"build", "-o", out}, flags...)
	if raceEnabled {
		args = append(args, "-race")
	}
	return out, locked(name, func() error {
		return command(filepath.Join(Root(), module), "go", append(args, pkg)...)
	})
}

func command(dir, program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building: %s %v: %w\n%s", program, args, err, out)
	}
	return nil
}

// locked keeps test processes that run at the same time from building the same
// thing at once.
func locked(name string, build func() error) error {
	dir := filepath.Join(Root(), ".run", "e2e", "bin")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("building %s: %w", name, err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, name+".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return fmt.Errorf("building %s: %w", name, err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("building %s: locking: %w", name, err)
	}
	return build()
}
