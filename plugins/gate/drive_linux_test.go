package gate

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// The driver runs inside the sandbox, as this test program started once more: it
// runs one command after the other and says what each left behind.

const (
	driveIn  = "STRATA_DRIVE_IN" // the world's folder; set for the driver only
	markOf   = "/strata-mark/"   // a file that is not there: taking it off marks the trace
	runLimit = time.Minute       // of one command; all of them take milliseconds on a quiet machine
)

// order is one command to run, ran what came of it.
type order struct {
	N    int
	Line string
}

type ran struct {
	N       int
	Changed []string // files that are other than before
	Left    bool     // a process still ran when the command had ended
	Endless bool     // it had to be stopped
}

func init() {
	if dir := os.Getenv(driveIn); dir != "" {
		if err := drive(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

func drive(dir string) error {
	const setChildSubreaper = 36
	if _, _, e := syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0); e != 0 {
		return fmt.Errorf("becoming the parent of all that is left: %w", e)
	}
	out := json.NewEncoder(os.Stdout)
	before, err := snapshot(dir)
	for in := bufio.NewScanner(os.Stdin); err == nil && in.Scan(); {
		var o order
		if err := json.Unmarshal(in.Bytes(), &o); err != nil {
			return err
		}
		r := ran{N: o.N}
		markTrace("begin", o.N)
		r.Endless = run(dir, o.Line)
		r.Left = reap()
		markTrace("end", o.N)
		var after map[string]string
		if after, err = snapshot(dir); err != nil {
			return err
		}
		r.Changed = changes(before, after)
		if err := out.Encode(r); err != nil {
			return err
		}
		if r.Changed != nil {
			return nil // the next command would meet another world
		}
	}
	return err
}

func markTrace(what string, n int) { _ = syscall.Unlink(fmt.Sprint(markOf, what, "-", n)) }

// run runs one command as the shell tool of the agent does. Its output is thrown away.
func run(dir, line string) (endless bool) {
	ctx, cancel := context.WithTimeout(context.Background(), runLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", line)
	cmd.Dir = filepath.Join(dir, "repo")
	cmd.Env = slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, driveIn+"=") })
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	_ = cmd.Run() // how it ends is its own affair
	return ctx.Err() != nil
}

// reap tells whether a command left a process, and ends it.
func reap() (left bool) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case err != nil: // no child
			return left
		case pid == 0:
			left = true
			children, _ := filepath.Glob("/proc/self/task/*/children")
			for _, file := range children {
				text, _ := os.ReadFile(file)
				for pid := range strings.FieldsSeq(string(text)) {
					var n int
					if fmt.Sscan(pid, &n); n > 0 {
						_ = syscall.Kill(n, syscall.SIGKILL)
					}
				}
			}
			time.Sleep(time.Millisecond) // until the kernel has done it
		}
	}
}

// snapshot tells what could be seen of a change below a folder. Git keeps its
// index fresh when it looks; that is the one file which may become another.
func snapshot(dir string) (map[string]string, error) {
	all := map[string]string{}
	return all, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		stat := info.Sys().(*syscall.Stat_t)
		switch rel := strings.TrimPrefix(path, dir); rel {
		case "/repo/.git/index":
			return nil
		case "/repo/.git": // index.lock comes and goes
			all[rel] = info.Mode().String()
		default:
			all[rel] = fmt.Sprint(info.Mode(), stat.Size, stat.Ino, stat.Mtim, stat.Ctim)
		}
		return nil
	})
}

// changes are the files in which two snapshots differ.
func changes(before, after map[string]string) (changed []string) {
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if after[path] != before[path] {
			changed = append(changed, path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if after[path] == "" {
			changed = append(changed, path+" (gone)")
		}
	}
	return changed
}
