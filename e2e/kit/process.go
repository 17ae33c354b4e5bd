package kit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// stopLimit is how long a process has to end after SIGTERM when its test is
// over: the Harness's own drain limit of 5 s, with room for a busy machine.
const stopLimit = 30 * time.Second

// Command says what to start.
type Command struct {
	Name  string // of its log files
	Path  string
	Args  []string
	Dir   string
	Env   []string // the whole environment
	Stdin string   // written first; stdin stays open after it
}

// Process is a running program. Its output is in the logs of its Home.
type Process struct {
	name  string
	cmd   *exec.Cmd
	stdin io.Closer
	done  chan struct{} // closed once it has ended and its output is read

	mu      sync.Mutex
	lines   []string // of stdout and stderr, as they came
	changed chan struct{}
}

// StartProcess starts a program that is ended with the test: SIGTERM, then SIGKILL.
func StartProcess(t testing.TB, home *Home, c Command) *Process {
	t.Helper()
	p := &Process{name: c.Name, done: make(chan struct{}), changed: make(chan struct{})}
	p.cmd = exec.Command(c.Path, c.Args...)
	p.cmd.Dir, p.cmd.Env, p.cmd.SysProcAttr = c.Dir, c.Env, dieWithTest()
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdin = stdin
	out, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout, p.cmd.Stderr = w, w // one pipe keeps the lines' order
	log, err := os.Create(filepath.Join(home.Logs, fmt.Sprintf("%s-%d.log", c.Name, time.Now().UnixNano())))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("starting %s: %v", c.Name, err)
	}
	w.Close()
	go p.read(out, log)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
		defer cancel()
		if _, err := p.Stop(ctx); err != nil {
			t.Errorf("%v; killed", err)
			p.Kill()
		}
		if t.Failed() {
			t.Logf("%s said:\n%s", c.Name, tail(p.Output(), 40))
		}
	})
	if c.Stdin == "" { // it may have ended by now
		return p
	}
	if _, err := io.WriteString(stdin, c.Stdin); err != nil {
		t.Fatalf("writing to %s: %v", c.Name, err)
	}
	return p
}

// read copies the output into the log and keeps its lines, then takes the exit
// status. Children that hold the pipe open do not hold it up.
func (p *Process) read(out *os.File, log io.WriteCloser) {
	read := make(chan struct{})
	go func() {
		defer close(read)
		lines := bufio.NewReader(out)
		for {
			line, err := lines.ReadString('\n')
			if line != "" {
				_, _ = io.WriteString(log, line) // a full disk shows in what follows
				p.update(func() { p.lines = append(p.lines, strings.TrimRight(line, "\n")) })
			}
			if err != nil {
				return
			}
		}
	}()
	_ = p.cmd.Wait() // the state is looked at, not the error
	select {
	case <-read:
	case <-time.After(time.Second): // a child of it still has the pipe
		_ = out.SetReadDeadline(time.Now())
		<-read
	}
	out.Close()
	log.Close()
	close(p.done)
	p.update(func() {})
}

func (p *Process) update(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	close(p.changed)
	p.changed = make(chan struct{})
}

// PID is the process's id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Output is what it has printed so far.
func (p *Process) Output() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.lines...)
}

// WaitLine waits for a line that pred holds of. It fails where the process ends
// without one.
func (p *Process) WaitLine(ctx context.Context, pred func(string) bool) (string, error) {
	for seen, ended := 0, false; ; {
		p.mu.Lock()
		lines, changed := p.lines, p.changed
		p.mu.Unlock()
		for ; seen < len(lines); seen++ {
			if pred(lines[seen]) {
				return lines[seen], nil
			}
		}
		if ended {
			return "", fmt.Errorf("%s ended (%s) without the line; it said:\n%s", p.name, p.cmd.ProcessState, tail(lines, 20))
		}
		select {
		case <-changed:
		case <-p.done: // look through the rest once more
			ended = true
		case <-ctx.Done():
			return "", fmt.Errorf("waiting for a line of %s: %w; it said:\n%s", p.name, ctx.Err(), tail(lines, 20))
		}
	}
}

// Done is closed once the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Running tells whether it has not ended.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Wait waits for the end and gives the exit code: -1 after a signal.
func (p *Process) Wait(ctx context.Context) (int, error) {
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-ctx.Done():
		return 0, fmt.Errorf("waiting for %s to end: %w", p.name, ctx.Err())
	}
}

// Stop sends SIGTERM and waits for the exit code.
func (p *Process) Stop(ctx context.Context) (int, error) {
	if err := p.Signal(syscall.SIGTERM); err != nil {
		return 0, err
	}
	return p.Wait(ctx)
}

// Kill sends SIGKILL and waits for the end.
func (p *Process) Kill() {
	_ = p.Signal(syscall.SIGKILL) // it may have ended by itself
	<-p.done
}

// Signal sends a signal; to an ended process it does nothing.
func (p *Process) Signal(s os.Signal) error {
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signalling %s: %w", p.name, err)
	}
	return nil
}

// CloseStdin closes its stdin.
func (p *Process) CloseStdin() error { return p.stdin.Close() }

func tail(lines []string, n int) string {
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
