package gate

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/plugins/gate/bash"
)

// traced are the system calls that change a file, start a program or reach out.
const traced = "execve,execveat,open,openat,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,link,linkat," +
	"symlink,symlinkat,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,truncate,ftruncate,utime,utimes,utimensat,futimesat,mknod,mknodat," +
	"setxattr,lsetxattr,fsetxattr,removexattr,lremovexattr,fremovexattr,socket,mount,umount2,swapon,sethostname,settimeofday,clock_settime"

var (
	traceLine   = regexp.MustCompile(`^(?:\d+ +)?(\w+)\((.*)`)
	firstText   = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
	openToWrite = regexp.MustCompile(`\bO_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)\b`)
)

// misdeeds goes through a trace and tells, by the command's number, what each did
// beyond looking. may tells whether a command may start a program.
func misdeeds(trace string, may func(n int, program string) bool) map[int][]string {
	found := map[int][]string{}
	current := -1
	for line := range strings.Lines(trace) {
		m := traceLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		call, rest := m[1], m[2]
		var file string
		if q := firstText.FindStringSubmatch(rest); q != nil {
			file = q[1]
		}
		if mark, ok := strings.CutPrefix(file, markOf); ok {
			var what string
			var n int
			fmt.Sscanf(strings.Replace(mark, "-", " ", 1), "%s %d", &what, &n)
			if current = -1; what == "begin" {
				current = n
			}
			continue
		}
		if current < 0 || harmlessCall(call, rest, file, func(program string) bool { return may(current, program) }) {
			continue
		}
		found[current] = append(found[current], strings.TrimSpace(line))
	}
	return found
}

func harmlessCall(call, rest, file string, may func(program string) bool) bool {
	switch call {
	case "execve", "execveat":
		return may(filepath.Base(file))
	case "open", "openat", "openat2":
		if strings.Contains(rest, "/home/.ssh") { // where a link in the repository leads
			return false
		}
		return !openToWrite.MatchString(rest) || slices.Contains([]string{"/dev/null", "/dev/tty"}, file) || gitsLock(file)
	case "socket": // names of users are asked for at a local socket, npm asks the kernel what interfaces there are
		return strings.HasPrefix(rest, "AF_UNIX") || strings.HasPrefix(rest, "AF_NETLINK")
	case "unlink", "unlinkat", "rename", "renameat", "renameat2", "chmod", "fchmod":
		return gitsLock(file)
	}
	return false
}

// gitsLock is the file under which git status and git diff write a fresh index.
func gitsLock(file string) bool { return strings.HasSuffix(file, ".git/index.lock") }

// programsOf are the programs that a command's parts name, and what those start
// for themselves: npm and others are scripts.
func programsOf(line string) map[string]bool {
	all := map[string]bool{"bash": true}
	commands, _ := bash.Parse(line)
	for _, c := range commands {
		if len(c.Words) > 0 {
			all[c.Words[0].Text] = true
		}
	}
	for script, starts := range map[string][]string{"npm": {"node", "env"}, "fd": {"fdfind"}, "awk": {"gawk", "mawk"}, "egrep": {"grep"}, "fgrep": {"grep"}} {
		for _, one := range starts {
			all[one] = all[one] || all[script]
		}
	}
	return all
}

func TestMisdeeds(t *testing.T) {
	trace := `7 unlinkat(AT_FDCWD, "/strata-mark/begin-0", 0) = -1 ENOENT (No such file or directory)
8     execve("/usr/bin/bash", ["bash", "-c", "x"], 0x7ff /* 39 vars */) = 0
8     openat(AT_FDCWD, "/etc/ld.so.cache", O_RDONLY|O_CLOEXEC) = 3
8     openat(AT_FDCWD, "/dev/null", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3
8     openat(AT_FDCWD, "out", O_WRONLY|O_CREAT|O_TRUNC, 0666 <unfinished ...>
9     openat(AT_FDCWD, "/w/.git/index.lock", O_RDWR|O_CREAT|O_EXCL, 0666) = 4
8     <... openat resumed>) = 3
8     socket(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0) = 3
8     socket(AF_INET6, SOCK_STREAM, IPPROTO_TCP) = 3
7 unlinkat(AT_FDCWD, "/strata-mark/end-0", 0) = -1 ENOENT (No such file or directory)
7     mkdir("/between", 0777) = 0
7 unlinkat(AT_FDCWD, "/strata-mark/begin-1", 0) = -1 ENOENT (No such file or directory)
12    execve("/usr/bin/touch", ["touch", "a \" b"], 0x1 /* 1 var */) = 0
12    utimensat(0, NULL, NULL, 0) = 0
12    +++ exited with 0 +++
`
	want := map[int][]string{
		0: {`8     openat(AT_FDCWD, "out", O_WRONLY|O_CREAT|O_TRUNC, 0666 <unfinished ...>`, `8     socket(AF_INET6, SOCK_STREAM, IPPROTO_TCP) = 3`},
		1: {`12    execve("/usr/bin/touch", ["touch", "a \" b"], 0x1 /* 1 var */) = 0`, `12    utimensat(0, NULL, NULL, 0) = 0`},
	}
	got := misdeeds(trace, func(_ int, program string) bool { return program == "bash" })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
