package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"time"
)

// stopLimit is how long the host has to end after SIGTERM: its Harness may take
// 5 s to drain, and is killed by it after that.
const stopLimit = 20 * time.Second

// pageURL finds the line in which the host prints its page's address.
var pageURL = regexp.MustCompile(`http://[^\s/]+/#token=\S+`)

// serve runs the host until it ends or ctx does, and gives its exit code: 0 for
// one that was stopped because ctx ended. Lines of its output go to each.
func serve(ctx context.Context, o options, each func(string), stderr io.Writer) (int, error) {
	cmd := exec.Command(o.host, hostArgs(o)...)
	lines := &lineWriter{each: each}
	cmd.Stdout, cmd.Stderr = lines, stderr
	cmd.SysProcAttr = ownGroup() // Ctrl-C reaches us alone; we tell the host
	cmd.WaitDelay = time.Second  // for output that something left behind keeps open
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("starting the host: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the state is looked at, not the error
		lines.flush()
	}()
	select {
	case <-ended:
		return exitCode(cmd.ProcessState), nil
	case <-ctx.Done():
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return 0, fmt.Errorf("stopping the host: %w", err)
	}
	select {
	case <-ended:
		return exitCode(cmd.ProcessState), nil
	case <-time.After(stopLimit):
		_ = cmd.Process.Kill() // it may have ended just now
		<-ended
		return exitFailed, nil
	}
}

// lineWriter hands on whole lines; flush a last one that has no end.
type lineWriter struct {
	each func(string)
	part []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.part = append(w.part, p...)
	for {
		line, rest, ok := bytes.Cut(w.part, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		w.each(string(line))
		w.part = rest
	}
}

func (w *lineWriter) flush() {
	if len(w.part) > 0 {
		w.each(string(w.part))
	}
}

func hostArgs(o options) []string {
	args := []string{"serve", "--harness", o.harness, "--node", o.node, "--shim", o.shim, "--data", o.data,
		"--workspace", o.workspace, "--base-url", o.baseURL, "--model", o.model}
	if o.keyFile != "" {
		args = append(args, "--key-file", o.keyFile)
	}
	if o.window != "" {
		args = append(args, "--context-window", o.window)
	}
	if o.slots != "" {
		args = append(args, "--slots", o.slots)
	}
	if o.listen != "" {
		args = append(args, "--listen", o.listen)
	}
	return args
}

// exitCode is the host's own, or 1 where a signal ended it.
func exitCode(s *os.ProcessState) int {
	if code := s.ExitCode(); code >= 0 {
		return code
	}
	return exitFailed
}
