package conformance

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
)

// ProcessHost is a host side in a process of its own, behind JSON lines on its
// stdin and stdout.
type ProcessHost struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	events chan Event
	read   chan error // what ended the reading
}

var _ Host = (*ProcessHost)(nil)

// StartProcess starts cmd, whose stdin and stdout must be free.
func StartProcess(cmd *exec.Cmd) (*ProcessHost, error) {
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the host side: %w", err)
	}
	h := &ProcessHost{cmd: cmd, stdin: stdin, events: make(chan Event, 1024), read: make(chan error, 1)}
	go func() { // ends with the process's stdout
		defer close(h.events)
		h.read <- h.receive(stdout)
	}()
	return h, nil
}

func (h *ProcessHost) receive(stdout io.Reader) error {
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var e Event
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("reading the line %q: %w", line, err)
		}
		h.events <- e
	}
}

// Send implements Host.
func (h *ProcessHost) Send(c Command) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	_, err = h.stdin.Write(append(line, '\n'))
	return err
}

// Events implements Host.
func (h *ProcessHost) Events() <-chan Event { return h.events }

// Close implements Host.
func (h *ProcessHost) Close() error {
	h.stdin.Close()
	for range h.events { // nobody waits for these
	}
	err := <-h.read
	if werr := h.cmd.Wait(); err == nil {
		err = werr
	}
	return err
}
