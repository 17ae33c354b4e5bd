package harness_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/harness"
	"strata.dev/bridge/host/internal/harness/harnesstest"
)

// config gives what starts the real Harness on a home of the test's own.
func config(t *testing.T) harness.Config {
	t.Helper()
	return harness.Config{
		Component: harnesstest.Component(t),
		Node:      harnesstest.Node(t),
		Home:      filepath.Join(harnesstest.Dir(t), "home"),
		Profile:   "strata",
		RouteKey:  "route-token-of-this-test",
	}
}

func start(t *testing.T, cfg harness.Config) *harness.Process {
	t.Helper()
	p, err := harness.Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return p
}

func TestStartServesAndStopsCleanly(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.Environ = append(os.Environ(), "NODE_OPTIONS=--no-such-option", "DSH_PERMISSION_MODE=nonsense", "SOME_API_KEY=k", "LC_TIME=C")
	harnesstest.Plain(t, cfg.Home, "", "")
	p := start(t, cfg)
	var info struct{ Cwd string }
	harnesstest.Call(t, p, "host.describe", map[string]any{}, &info)
	if want := filepath.Join(cfg.Home, "cwd"); info.Cwd != want {
		t.Errorf("it runs in %q, want %q", info.Cwd, want)
	}

	environ := procFile(t, p.PID(), "environ")
	var names []string
	for _, entry := range strings.Split(strings.TrimSuffix(environ, "\x00"), "\x00") {
		name, _, _ := strings.Cut(entry, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	want := []string{"DSH_HOME", "DSH_TELEMETRY_DISABLED", "LC_TIME", "STRATA_LAUNCH", "STRATA_ROUTE_KEY"}
	for _, name := range []string{"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ"} {
		if os.Getenv(name) != "" {
			want = append(want, name)
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	for _, file := range []string{environ, procFile(t, p.PID(), "cmdline")} {
		if strings.Contains(file, p.Secret()) {
			t.Error("the launch secret can be read from /proc")
		}
	}

	if err := p.Stop(t.Context()); err != nil {
		t.Errorf("Stop: %v", err)
	}
	if err := p.Err(); err != nil {
		t.Errorf("Err after Stop: %v", err)
	}
	if p.Exit() != "exit status 0" {
		t.Errorf("it ended with %q", p.Exit())
	}
}

func TestFailedStarts(t *testing.T) {
	t.Parallel()
	broken := func(t *testing.T, patch string) harness.Config {
		cfg := config(t)
		harnesstest.Plain(t, cfg.Home, "", patch)
		return cfg
	}
	plugin := func(t *testing.T, code string) string {
		path := filepath.Join(harnesstest.Dir(t), "plugin.mjs")
		harnesstest.Write(t, path, code)
		return "- insert: [{id: broken, name: " + path + "}]\n"
	}
	for _, tt := range []struct {
		name    string
		config  func(t *testing.T) harness.Config
		kind    harness.Kind
		details string
	}{
		{"a service that nothing provides, after the URL line", func(t *testing.T) harness.Config {
			return broken(t, plugin(t, "export const name = 'x', inject = ['nothing']\nexport function apply() {}\n"))
		}, harness.KindInject, "waiting for service: nothing"},
		// What an install with newer Cordis packages does: its hmr lacks a method.
		{"packages that do not fit, after the URL line", func(t *testing.T) harness.Config {
			return broken(t, plugin(t, "export function apply(ctx) { ctx.provide('hmr', {}) }\n"))
		}, harness.KindDrift, "hmr.registerConfig is not a function"},
		{"a plugin that throws", func(t *testing.T) harness.Config {
			return broken(t, plugin(t, "export function apply() { throw new Error('not today') }\n"))
		}, harness.KindPlugin, "not today"},
		{"a plugin with a syntax error", func(t *testing.T) harness.Config {
			return broken(t, plugin(t, "export function {\n"))
		}, harness.KindPlugin, "plugin.mjs"},
		{"a plugin that is not there", func(t *testing.T) harness.Config {
			return broken(t, "- insert: [{id: broken, name: /nowhere/plugin.mjs}]\n")
		}, harness.KindPlugin, "/nowhere/plugin.mjs"},
		{"a profile that is not there", func(t *testing.T) harness.Config {
			cfg := config(t)
			return cfg
		}, harness.KindProfile, "does not exist"},
		{"a profile that is no YAML", func(t *testing.T) harness.Config {
			return broken(t, "- [\n")
		}, harness.KindProfile, "cordis.patch.yml"},
		{"a manifest that is no JSON", func(t *testing.T) harness.Config {
			cfg := broken(t, "")
			harnesstest.Write(t, filepath.Join(cfg.Home, "profiles", "strata", "package.json"), "{")
			return cfg
		}, harness.KindProfile, "JSON"},
		{"a home with a .env that redirects it", func(t *testing.T) harness.Config {
			cfg := broken(t, "")
			harnesstest.Write(t, filepath.Join(cfg.Home, ".env"), "NODE_OPTIONS=x\n")
			return cfg
		}, harness.KindProfile, "NODE_OPTIONS"},
		{"a bundle that is not installed", func(t *testing.T) harness.Config {
			cfg := broken(t, "")
			harnesstest.Write(t, filepath.Join(cfg.Home, "profiles", "strata", "package.json"),
				`{"dsh":{"profile":{"bundles":["@deepseek-ai/dsh-nothing"]}}}`)
			return cfg
		}, harness.KindProfile, "dsh-nothing"},
		{"a port that is taken", func(t *testing.T) harness.Config {
			taken := start(t, broken(t, ""))
			port := taken.URL()[strings.LastIndexByte(taken.URL(), ':')+1:]
			return broken(t, "- {id: webserver, config: {host: 127.0.0.1, port: "+port+"}}\n")
		}, harness.KindPort, "EADDRINUSE"},
		{"an address that others can reach", func(t *testing.T) harness.Config {
			return broken(t, "- {id: webserver, config: {host: 0.0.0.0, port: 0}}\n")
		}, harness.KindURL, "LAN"},
		{"a fence with another secret", func(t *testing.T) harness.Config {
			return broken(t, plugin(t, `export const name = 'x', inject = ['webServer']
export function apply(ctx) {
  const timer = setInterval(() => {
    const route = ctx.webServer.match('/api')
    if (!route) return
    route.handler = (req, res) => { res.statusCode = 401; res.end() }
    clearInterval(timer)
  }, 1)
}
`))
		}, harness.KindFence, ""},
		{"a home that is a file", func(t *testing.T) harness.Config {
			cfg := config(t)
			harnesstest.Write(t, cfg.Home, "")
			return cfg
		}, harness.KindHome, "not a directory"},
		{"a program that is no program", func(t *testing.T) harness.Config {
			cfg := broken(t, "")
			cfg.Node.Path = filepath.Join(cfg.Home, "profiles", "strata", "package.json")
			return cfg
		}, harness.KindLaunch, "permission denied"},
		{"a program that ends at once", func(t *testing.T) harness.Config {
			cfg := broken(t, "")
			cfg.Node.Path = lookPath(t, "false")
			return cfg
		}, harness.KindExited, "exit status 1"},
		{"a program that never answers", func(t *testing.T) harness.Config {
			cfg := broken(t, "")
			cfg.Node.Path, cfg.Component.Bin = lookPath(t, "sh"), filepath.Join(cfg.Home, "script")
			harnesstest.Write(t, cfg.Component.Bin, "echo reading for long >&2\nexec sleep 600\n")
			cfg.Timeout = 300 * time.Millisecond
			return cfg
		}, harness.KindNotReady, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := tt.config(t)
			var log strings.Builder
			cfg.Log = &log
			p, err := harness.Start(t.Context(), cfg)
			if err == nil {
				_ = p.Stop(context.Background())
				t.Fatal("it started")
			}
			e, ok := err.(*harness.Error)
			if !ok {
				t.Fatalf("%T: %v", err, err)
			}
			if e.Kind != tt.kind || !strings.Contains(e.Details, tt.details) {
				t.Errorf("kind %q, want %q; details, which should have %q:\n%s", e.Kind, tt.kind, tt.details, e.Details)
			}
			if e.Sentence.Text == "" || strings.Contains(e.Sentence.Text, "{") {
				t.Errorf("sentence %q", e.Sentence.Text)
			}
		})
	}
}

func procFile(t *testing.T, pid int, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func lookPath(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
