// Package procfs looks at processes through /proc: which carry a marker in their
// environment, and whether a process is still the one it was.
package procfs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Process is a process as /proc shows it.
type Process struct {
	PID   int
	PPID  int
	Start uint64   // clock ticks after boot; with PID it names a process for good
	State string   // R, S, D, T, Z …
	Args  []string // its command line
}

// Read gives a process; fs.ErrNotExist where there is none.
func Read(pid int) (Process, error) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return Process{}, gone(err)
	}
	p, err := parseStat(string(stat))
	if err != nil {
		return Process{}, err
	}
	line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
	if err != nil {
		return Process{}, gone(err)
	}
	if line = bytes.TrimRight(line, "\x00"); len(line) > 0 {
		p.Args = strings.Split(string(line), "\x00")
	}
	return p, nil
}

// parseStat reads /proc/<pid>/stat; the name in it may hold blanks and brackets.
func parseStat(stat string) (Process, error) {
	open, end := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return Process{}, fmt.Errorf("reading stat: %q", stat)
	}
	fields := strings.Fields(stat[end+1:])
	if len(fields) < 20 {
		return Process{}, fmt.Errorf("reading stat: %q", stat)
	}
	pid, err1 := strconv.Atoi(strings.TrimSpace(stat[:open]))
	ppid, err2 := strconv.Atoi(fields[1])
	start, err3 := strconv.ParseUint(fields[19], 10, 64) // field 22 of proc(5)
	if err := errors.Join(err1, err2, err3); err != nil {
		return Process{}, fmt.Errorf("reading stat: %w", err)
	}
	return Process{PID: pid, PPID: ppid, State: fields[0], Start: start}, nil
}

// Alive tells whether the very same process still runs; a zombie does not.
func (p Process) Alive() bool {
	now, err := Read(p.PID)
	return err == nil && now.Start == p.Start && now.State != "Z"
}

// All gives every process that lives and may be looked at.
func All() ([]Process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	var out []Process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		p, err := Read(pid)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if p.State != "Z" {
			out = append(out, p)
		}
	}
	return out, nil
}

// Marked gives the processes whose environment at their start held NAME=value.
func Marked(name, value string) ([]Process, error) {
	all, err := All()
	if err != nil {
		return nil, err
	}
	var out []Process
	for _, p := range all {
		env, err := Environ(p.PID)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if v, ok := env[name]; ok && v == value {
			out = append(out, p)
		}
	}
	return out, nil
}

// Environ gives a process's environment at its start.
func Environ(pid int) (map[string]string, error) {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil {
		return nil, gone(err)
	}
	env := map[string]string{}
	for pair := range strings.SplitSeq(string(data), "\x00") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			env[name] = value
		}
	}
	return env, nil
}

// Descendants gives the processes below pid.
func Descendants(pid int) ([]Process, error) {
	all, err := All()
	if err != nil {
		return nil, err
	}
	below := map[int]bool{pid: true}
	var out []Process
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if below[p.PPID] && !below[p.PID] {
				below[p.PID], grown = true, true
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// gone makes the two ways in which /proc says that a process ended into one.
func gone(err error) error {
	if errors.Is(err, syscall.ESRCH) {
		return fs.ErrNotExist
	}
	return err
}
