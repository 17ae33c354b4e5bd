package harness

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ticksPerSecond is the unit of start times in /proc/<pid>/stat (USER_HZ), which
// Linux fixes at 100 for programs on every architecture that Go runs on.
const ticksPerSecond = 100

// found is a process that carries a launch's marker.
type found struct {
	pid    int
	handle *os.Process // a pidfd: it never means a later process with this number
}

// marked finds the processes of a launch: those whose environment holds its
// marker and that started at or after since (in ticks since boot). The caller
// releases the handles. A program that the agent starts with an empty environment
// is not found.
func marked(marker string, since uint64) ([]found, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("looking for processes: %w", err)
	}
	var out []found
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		// The handle comes first: what is read afterwards is about the process that
		// the handle means, or that process is gone and a signal reaches nobody.
		handle, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		if !carries(pid, marker) || startedAt(pid) < since {
			_ = handle.Release()
			continue
		}
		out = append(out, found{pid, handle})
	}
	return out, nil
}

// carries tells whether the environment that pid was started with holds the
// marker. Processes of other users cannot be read and do not.
func carries(pid int, marker string) bool {
	data, err := os.ReadFile(procFile(pid, "environ"))
	if err != nil {
		return false
	}
	return slices.ContainsFunc(bytes.Split(data, []byte{0}), func(entry []byte) bool {
		return string(entry) == EnvMarker+"="+marker
	})
}

// startedAt gives the start of pid in ticks since boot, 0 where there is none.
func startedAt(pid int) uint64 {
	data, err := os.ReadFile(procFile(pid, "stat"))
	if err != nil {
		return 0
	}
	// The program's name, in parentheses, may hold anything.
	_, rest, ok := strings.Cut(string(data[bytes.LastIndexByte(data, ')')+1:]), " ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 20 {
		return 0
	}
	ticks, err := strconv.ParseUint(fields[19], 10, 64) // field 22 of the file
	if err != nil {
		return 0
	}
	return ticks
}

// ticksNow gives the time since boot in ticks.
func ticksNow() (uint64, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return 0, fmt.Errorf("reading the time since boot: %w", err)
	}
	return uint64(ts.Sec)*ticksPerSecond + uint64(ts.Nsec)/(1e9/ticksPerSecond), nil
}

// bootID names this boot of the machine; process numbers of another one mean
// nothing.
func bootID() (string, error) {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("reading the boot id: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}

// signal sends sig; a process that is gone is no error.
func (f found) signal(sig os.Signal) error {
	if err := f.handle.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("ending process %d: %w", f.pid, err)
	}
	return nil
}

func (f found) release() { _ = f.handle.Release() }

func procFile(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}
