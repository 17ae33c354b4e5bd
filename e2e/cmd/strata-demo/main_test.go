package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	testscript.Main(leakChecked{m}, map[string]func(){"strata-demo": main})
}

type leakChecked struct{ m *testing.M }

func (l leakChecked) Run() int {
	code := l.m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		os.Stderr.WriteString(err.Error() + "\n")
		return 1
	}
	return code
}

// The scripts run the program itself with a stand-in for the host that shows how
// it was called; the real one is run by the tests in e2e.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// waitfile NAME waits until a file is there.
			"waitfile": func(ts *testscript.TestScript, _ bool, args []string) {
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				tick := time.NewTicker(10 * time.Millisecond)
				defer tick.Stop()
				for {
					if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
						return
					}
					select {
					case <-tick.C:
					case <-ctx.Done():
						ts.Fatalf("%s did not come", args[0])
					}
				}
			},
		},
	})
}

func TestSeed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "workspace")
	if done, err := seed(dir); !done || err != nil {
		t.Fatalf("a folder that is not there: %t, %v", done, err)
	}
	for _, name := range []string{"README.md", "greet.sh", "test.sh", "notes/todo.md"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if done, err := seed(dir); done || err != nil {
		t.Errorf("a second time: %t, %v", done, err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := seed(file); err == nil {
		t.Error("a file was taken for a workspace")
	}
}
