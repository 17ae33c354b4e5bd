package gatewaytest

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// childEnv names the server that a test binary is to be, in a process of its own.
const childEnv = "STRATA_TEST_SERVER"

// ServeChild serves the server that Child asked for, and does not return then; without
// one it does nothing. A TestMain calls it first. A benchmark's own process is left
// with its own work that way.
func ServeChild(servers map[string]func() http.Handler) {
	name := os.Getenv(childEnv)
	if name == "" {
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	_, _ = os.Stdout.WriteString("http://" + l.Addr().String() + "\n")
	go func() { panic(http.Serve(l, servers[name]())) }()
	_, _ = io.Copy(io.Discard, os.Stdin) // ends with the parent
	os.Exit(0)
}

// Child starts the test binary as that server and gives its URL; it ends with the test.
func Child(t testing.TB, name string) (url string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"="+name)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the server %s did not start: %v", name, err)
	}
	return strings.TrimSpace(line)
}
