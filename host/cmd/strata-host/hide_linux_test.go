package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// looked is a program with a secret in its environment, hidden or not, that lives until
// its stdin ends.
const looked = "STRATA_TEST_LOOKED"

func init() {
	how := os.Getenv(looked)
	if how == "" {
		return
	}
	if how == "hidden" {
		if err := hide(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// Another program of the same user reads the environment and the memory of a program that
// is not hidden, and of none that is.
func TestHide(t *testing.T) {
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "hide") // t.TempDir is for its user alone
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, self, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var as *syscall.SysProcAttr
	if os.Getuid() == 0 { // root looks at everything: be somebody else
		as = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534, NoSetGroups: true}}
	}
	for how, readable := range map[string]bool{"open": true, "hidden": false} {
		c := exec.Command(program)
		c.Env, c.Dir, c.SysProcAttr = []string{looked + "=" + how, "A_KEY=secret"}, "/", as
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
			t.Fatalf("%s: %q, %v", how, line, err)
		}
		for _, file := range []string{"environ", "maps"} {
			look := exec.Command("head", "-c", "1", filepath.Join("/proc", strconv.Itoa(c.Process.Pid), file))
			look.Dir, look.SysProcAttr = "/", as
			if text, err := look.Output(); (err == nil && len(text) == 1) != readable {
				t.Errorf("%s of a program that is %s: %q, %v", file, how, text, err)
			}
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
}
