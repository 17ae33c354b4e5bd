package conformance

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"strata.dev/bridge/wasm/engine"
)

var (
	update = flag.Bool("update", false, "write what the engine says into the cases")
	settle = flag.Duration("settle", 500*time.Millisecond, "with -update: the quiet after which a step is over")
)

// modules are the guests of all cases, by plugin.
var modules map[string]string

// built names the guests to a fuzzer's workers, which are processes of this
// test too: each would build them anew.
const built = "STRATA_CONFORMANCE_GUESTS"

func TestMain(m *testing.M) {
	flag.Parse()
	if guests := os.Getenv(built); guests != "" {
		if err := json.Unmarshal([]byte(guests), &modules); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		goleak.VerifyTestMain(m)
	}
	dir, err := os.MkdirTemp("", "conformance")
	if err == nil {
		modules, err = BuildAll("../..", dir)
	}
	guests, jerr := json.Marshal(modules)
	if err = errors.Join(err, jerr, os.Setenv(built, string(guests))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}

func TestEngine(t *testing.T) {
	t.Parallel()
	host := engineHost(t, engine.Config{CacheDir: engine.UserCacheDir()})
	runCases(t, host, "cases/[^s]*.txtar", "cases/sync*.txtar", "cases/stop/*.txtar")
	runGate(t, host)
	runContext(t, host)
	runSearch(t, host, 0) // their memory is the same in the shim, ten times sooner
}

// What needs no speed, among it every start: those modules have patched bytes
// of their own, and compiling each would take most of the time of all tests.
func TestInterpreter(t *testing.T) {
	t.Parallel()
	host := engineHost(t, engine.Config{Interpreter: true})
	runCases(t, host, "cases/start*.txtar", "cases/end*.txtar", "cases/effect*.txtar", "cases/cancel*.txtar")
}

func engineHost(t testing.TB, cfg engine.Config) *EngineHost {
	cfg.Step = 5 * time.Minute // no case is about it, and the machine may be busy
	host := NewEngineHost(cfg)
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	return host
}

// runCases drives a host side through the cases that the patterns name.
func runCases(t *testing.T, host Host, patterns ...string) {
	var paths []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no cases %s: %v", pattern, err)
		}
		paths = append(paths, found...)
	}
	server := NewServer()
	t.Cleanup(server.Close)
	r := &Runner{Host: host, Modules: modules, HTTP: server.Listener.Addr().String()}
	if *update {
		r.Settle, r.Patience = *settle, 20*time.Second
	}
	for _, path := range paths {
		c, err := ReadCase(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(filepath.Dir(path)) + "-" + c.Name // apart: cases-deadline, stop-deadline
		t.Run(strings.TrimPrefix(name, "cases-"), func(t *testing.T) { runCase(t, r, c, path) })
	}
}

func runCase(t *testing.T, r *Runner, c *Case, path string) {
	got, err := r.Run(c, t.TempDir())
	if *update {
		if err != nil {
			t.Fatal(err)
		}
		if err := c.rewrite(path, got); err != nil {
			t.Fatal(err)
		}
		return
	}
	var want [][]string
	for _, s := range c.Steps[:len(got)] {
		lines, werr := s.want()
		if werr != nil {
			t.Fatal(werr)
		}
		want = append(want, lines)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n(-want +got):\n%s", c.Says, diff)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestShim(t *testing.T) {
	t.Parallel()
	host := startShim(t)
	// Node's main thread cannot stop a guest that runs: cases/stop is not for it.
	runCases(t, host, "cases/*.txtar")
	runGate(t, host)
	runContext(t, host)
	runSearch(t, host, 5)
}

// startShim starts the shim behind the wire.
func startShim(t testing.TB) Host {
	t.Helper()
	node, err := findNode("../..")
	if err != nil {
		t.Fatal(err)
	}
	return startProcess(t, exec.Command(node, "../../shim/test/conformance-host.mjs"))
}

// startProcess starts a driver, which ends with the test.
func startProcess(t testing.TB, cmd *exec.Cmd) Host {
	t.Helper()
	cmd.Stderr = os.Stderr
	host, err := StartProcess(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	return host
}
