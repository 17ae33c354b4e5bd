package kit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNodeFits(t *testing.T) {
	if err := nodeFits(Node(t)); err != nil {
		t.Error(err)
	}
	dir := t.TempDir()
	for version, want := range map[string]string{"v22.18.0": " is v22.18.0", "v20.1.1": " is v20.1.1", "nonsense": ` --version answers "nonsense\n"`} {
		fake := filepath.Join(dir, version)
		if err := os.WriteFile(fake, []byte("#!/bin/sh\necho "+version+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := nodeFits(fake); err == nil || err.Error() != fake+want {
			t.Errorf("%s: got %v", version, err)
		}
	}
}

func TestHarnessBin(t *testing.T) {
	dir := t.TempDir()
	if _, err := harnessBin(dir); err == nil || !strings.Contains(err.Error(), "holds no @deepseek-ai/dsh") {
		t.Errorf("empty folder: %v", err)
	}
	cli := filepath.Join(dir, "apps", "cli")
	if err := os.MkdirAll(cli, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cli, "package.json"), []byte(`{"name":"@deepseek-ai/dsh","bin":{"dsh":"lib/bin.js"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := harnessBin(dir); got != filepath.Join(cli, "lib", "bin.js") || err != nil {
		t.Errorf("checkout: %s, %v", got, err)
	}
	if got, err := harnessBin(Pinned()); err != nil || !strings.HasSuffix(got, "bin.js") {
		t.Errorf("pin: %s, %v", got, err)
	}
}

func TestHome(t *testing.T) {
	base := t.TempDir()
	t.Setenv("STRATA_E2E_DIR", base)
	var home *Home
	t.Run("a case/with strange name", func(t *testing.T) {
		home = NewHome(t)
		home.File(t, "in/a.txt", "x")
		if text, ok := home.Read(t, "in/a.txt"); text != "x" || !ok {
			t.Errorf("read %q, %t", text, ok)
		}
		if _, ok := home.Read(t, "none"); ok {
			t.Error("a file that is not there was read")
		}
	})
	if filepath.Dir(home.Dir) != base || !strings.HasPrefix(filepath.Base(home.Dir), "TestHome-a-case-with-strange-name-") {
		t.Errorf("home: %s", home.Dir)
	}
	if _, err := os.Stat(home.Dir); !os.IsNotExist(err) {
		t.Errorf("it is still there after success: %v", err)
	}
}

func TestProcess(t *testing.T) {
	ctx := Context(t)
	home := NewHome(t)
	sh := func(script, stdin string) *Process {
		return StartProcess(t, home, Command{Name: "sh", Path: "/bin/sh", Args: []string{"-c", script}, Dir: home.Workspace,
			Env: Environ(t, home, nil, "MARK=m"), Stdin: stdin})
	}
	p := sh(`trap 'echo term; exit 3' TERM; read x; echo "got $x $MARK"; echo err >&2; read y`, "in\n")
	if line, err := p.WaitLine(ctx, func(s string) bool { return strings.HasPrefix(s, "got") }); line != "got in m" || err != nil {
		t.Errorf("line %q, %v", line, err)
	}
	if _, err := p.WaitLine(ctx, func(s string) bool { return s == "err" }); err != nil || !p.Running() {
		t.Errorf("stderr: %v, running %t", err, p.Running())
	}
	if code, err := p.Stop(ctx); code != 3 || err != nil {
		t.Errorf("exit code %d, %v", code, err)
	}
	if diff := cmp.Diff([]string{"got in m", "err", "term"}, p.Output()); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	if _, err := p.WaitLine(ctx, func(string) bool { return false }); err == nil || !strings.Contains(err.Error(), "sh ended (exit status 3) without the line") {
		t.Errorf("got %v", err)
	}

	q := sh("echo up; read x; echo down", "")
	if _, err := q.WaitLine(ctx, func(s string) bool { return s == "up" }); err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := q.WaitLine(over, func(string) bool { return false }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := q.CloseStdin(); err != nil {
		t.Fatal(err)
	}
	if code, err := q.Wait(ctx); code != 0 || err != nil {
		t.Errorf("exit code %d, %v", code, err)
	}

	k := sh("echo up; read x", "")
	k.Kill()
	if code, err := k.Wait(ctx); code != -1 || err != nil {
		t.Errorf("exit code %d, %v", code, err)
	}
	if err := k.Signal(syscall.SIGTERM); err != nil {
		t.Errorf("signalling an ended process: %v", err)
	}
}

// A child that keeps the output open does not hold up the end of its parent.
func TestProcessWithOrphan(t *testing.T) {
	ctx := Context(t)
	home := NewHome(t)
	p := StartProcess(t, home, Command{Name: "sh", Path: "/bin/sh", Dir: home.Workspace, Env: Environ(t, home, nil),
		Args: []string{"-c", "sleep 5 & echo $!"}})
	if code, err := p.Wait(ctx); code != 0 || err != nil {
		t.Errorf("exit code %d, %v", code, err)
	}
	if len(p.Output()) != 1 {
		t.Errorf("output %q", p.Output())
	}
}

func TestHidePath(t *testing.T) {
	home := NewHome(t)
	dir := filepath.Join(home.Dir, "bin")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bwrap", "other"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	got := filepath.SplitList(hidePath(t, home, dir+":/nowhere:"+dir, []string{"bwrap"}))
	if len(got) != 2 || got[0] == dir || got[1] != "/nowhere" {
		t.Fatalf("path %q", got)
	}
	entries, err := os.ReadDir(got[0])
	if err != nil || !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == "other" }) || len(entries) != 1 {
		t.Errorf("%s holds %v, %v", got[0], entries, err)
	}
}

func TestUntil(t *testing.T) {
	n := 0
	if err := Until(Context(t), func(context.Context) error {
		if n++; n < 3 {
			return errors.New("not yet")
		}
		return nil
	}); err != nil || n != 3 {
		t.Errorf("%d looks, %v", n, err)
	}
	over, cancel := context.WithCancel(Context(t))
	cancel()
	err := Until(over, func(context.Context) error { return errors.New("never") })
	if err == nil || err.Error() != "context canceled; at last: never" {
		t.Errorf("got %v", err)
	}
}
