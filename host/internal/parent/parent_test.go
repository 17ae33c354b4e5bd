package parent

import (
	"context"
	"io"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"
)

const stay = "STRATA_TEST_PARENT_STAYS"

// TestMain lets the test binary be the process that is watched.
func TestMain(m *testing.M) {
	if os.Getenv(stay) != "" {
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is closed, or a kill
		return
	}
	goleak.VerifyTestMain(m)
}

func child(t *testing.T) (cmd *exec.Cmd, end func()) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), stay+"=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, func() { stdin.Close() }
}

// It is gone as soon as it has ended, also while nobody has collected it.
func TestGone(t *testing.T) {
	for name, kill := range map[string]bool{"by itself": false, "by a kill": true} {
		t.Run(name, func(t *testing.T) {
			cmd, end := child(t)
			gone := make(chan struct{})
			if err := Watch(t.Context(), cmd.Process.Pid, func() { close(gone) }); err != nil {
				t.Fatal(err)
			}
			select {
			case <-gone:
				t.Fatal("gone while it runs")
			default:
			}
			if kill {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
			end()
			<-gone
			_ = cmd.Wait() // of a killed one it says so
		})
	}
}

func TestNobodyIsInterestedAnyMore(t *testing.T) {
	cmd, end := child(t)
	ctx, cancel := context.WithCancel(t.Context())
	if err := Watch(ctx, cmd.Process.Pid, func() { t.Error("told after its context") }); err != nil {
		t.Fatal(err)
	}
	cancel()
	end()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

func TestNoSuchProcess(t *testing.T) {
	cmd, end := child(t)
	end()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := Watch(t.Context(), cmd.Process.Pid, func() { t.Error("told of a process that never was") }); err == nil {
		t.Error("a process that has ended is watched")
	}
}
