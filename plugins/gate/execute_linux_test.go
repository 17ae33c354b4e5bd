package gate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"strata.dev/bridge/plugins/gate/place"
	"strata.dev/bridge/proto/abi"
)

// unpacked is where .tools/setup.sh puts bubblewrap and programs that few machines have.
const unpacked = "../../.tools/sandbox/usr/bin"

// What the gate allows is run for real: the corpus, every option of every rule,
// and changes of both, in a sandbox without network. None may write a file, start
// a program that it does not name, open a socket, run on or leave a process.
// STRATA_EXECUTE is how many (STRATA_SEED picks others); with STRATA_OPTIONS=all
// they are joined by every line that an option of a rule makes.
func TestAllowedCommandsOnlyLook(t *testing.T) {
	sandbox := newSandbox(t)
	most, seed := setting(t, "STRATA_EXECUTE", 250), setting(t, "STRATA_SEED", 1)
	lines, asked := allowedLines(t, sandbox.world, most, uint64(seed))
	if len(lines) < min(most, 200) {
		t.Fatalf("only %d of %d lines are allowed", len(lines), asked)
	}
	batches := slices.Collect(slices.Chunk(lines, 50))
	work := make(chan []string, len(batches))
	for _, b := range batches {
		work <- b
	}
	close(work)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for batch := range work {
				sandbox.run(t, batch)
			}
		})
	}
	workers.Wait()
	t.Logf("%d lines were asked about, %d of them allowed and run; seed %d; not on this machine: %s", asked, len(lines), seed, strings.Join(missing(lines), " "))
}

// The sandbox must see what it is there for: each of these does one thing that
// an allowed command must not do.
func TestTheSandboxSeesMisdeeds(t *testing.T) {
	sandbox := newSandbox(t)
	for line, want := range map[string]string{
		"echo x > new":               "/repo/new",
		"touch README.md":            "/repo/README.md",
		"rm a":                       "/repo/a (gone)",
		"sed -n 'w written' a":       "/repo/written",
		"sort -o b a":                "/repo/b",
		"chmod 600 c":                "/repo/c",
		"echo x > /etc/strata":       `"/etc/strata", O_WRONLY`,
		"find . -exec true ;":        `execve("/usr/bin/true"`,
		"exec 3<>/dev/tcp/1.2.3.4/1": "socket(AF_INET",
		"sleep 60 & disown":          "left a process",
		"env sleep 0":                `execve("/usr/bin/sleep"`,
		"cat keys/id_rsa":            "/home/.ssh/id_rsa>",
		"ls src/internal/*/":         "/home/.ssh>",
		"git log -1 --format=%GS":    "/tmp/.git_vtag_tmp",
		"git show --remerge-diff":    "/repo/bin/pwned",
		"git stash -m list":          "/repo/.git/refs/stash",
		"tree -Po x README.md":       "/repo/README.md",
		"xxd -ps 5 README.md":        "/repo/README.md",
	} {
		if strings.HasPrefix(line, "find") {
			line = `find . -maxdepth 0 -exec true \;`
		}
		var said []string
		sandbox.each(t, []string{line}, func(_ string, what []string) { said = what })
		if !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("%s: %q was seen, not %q", line, said, want)
		}
	}
}

func setting(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// allowedLines are lines that the gate allows in a world.
func allowedLines(t *testing.T, world string, most int, seed uint64) (lines []string, asked int) {
	known := map[string]bool{}
	try := func(line string) {
		if known[line] || len(lines) >= most {
			return
		}
		known[line] = true
		asked++
		if decideIn(world, line).Decision == abi.Allow {
			lines = append(lines, line)
		}
	}
	for _, r := range corpus(t) {
		if r.Shell == "bash" {
			try(r.Command)
		}
	}
	m := newMutator(t, seed)
	options := optionLines()
	m.r.Shuffle(len(options), func(i, j int) { options[i], options[j] = options[j], options[i] })
	all := os.Getenv("STRATA_OPTIONS") == "all"
	if all {
		most += len(options)
		for _, line := range options {
			try(line)
		}
		most = len(lines) + most - len(options)
	}
	for i := 0; len(lines) < most && asked < len(options)+200*most; i++ {
		if i < len(options) && !all {
			try(options[i])
		}
		try(m.next())
	}
	return lines, asked
}

// decideIn judges a line with the facts of a world, as the shim does.
func decideIn(world, line string) abi.GateDecision {
	repo := filepath.Join(world, "repo")
	call := commanded(line)
	call.CWD, call.Workspace, call.RealPaths = repo, repo, map[string]string{}
	facts := Facts(call, abi.GateConfig{})
	for _, p := range facts.Paths {
		call.RealPaths[p] = realPathOf(p)
	}
	for _, p := range facts.Files {
		if info, err := os.Stat(p); err == nil && info.IsDir() {
			call.RealPaths[p] = ""
		}
	}
	for _, p := range facts.Folders {
		if folder, below := strings.CutSuffix(p, place.Below); below {
			maps.Copy(call.RealPaths, linksBelow(folder))
			continue
		}
		for one := range entriesOf(p) {
			call.RealPaths[one] = realPathOf(one)
		}
	}
	return Decide(call, abi.GateConfig{})
}

// linksBelow are the links below a folder.
func linksBelow(folder string) map[string]string {
	links := map[string]string{folder + place.Below: realPathOf(folder)}
	_ = filepath.WalkDir(folder, func(one string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type()&fs.ModeSymlink != 0 {
			real := realPathOf(one)
			if info, err := os.Stat(one); err == nil && info.IsDir() {
				real += "/"
			}
			links[folder+place.Below+strings.TrimPrefix(one, folder)] = real
		}
		return nil // what cannot be looked at has none
	})
	return links
}

// entriesOf are what lies in a folder, and whether it is a folder; with a star at the
// end what lies in all folders in it.
func entriesOf(folder string) map[string]bool {
	all := map[string]bool{}
	if above, star := strings.CutSuffix(folder, "/*"); star {
		for one, isFolder := range entriesOf(above) {
			if isFolder {
				maps.Copy(all, entriesOf(one))
			}
		}
		return all
	}
	entries, _ := os.ReadDir(folder) // what is none has no entries
	for _, e := range entries {
		all[filepath.Join(folder, e.Name())] = e.IsDir()
	}
	return all
}

// realPathOf is a path's real path; what does not exist is kept.
func realPathOf(p string) string {
	if real, err := filepath.EvalSymlinks(p); err == nil {
		return real
	}
	if parent := filepath.Dir(p); parent != p {
		if target, err := os.Readlink(p); err == nil {
			return filepath.Join(realPathOf(parent), target)
		}
		return filepath.Join(realPathOf(parent), filepath.Base(p))
	}
	return p
}

// missing are the programs of lines that this machine does not have.
func missing(lines []string) (names []string) {
	for _, line := range lines {
		for name := range programsOf(line) {
			_, err := exec.LookPath(name)
			if _, beside := os.Stat(filepath.Join(unpacked, name)); err == nil || beside == nil || slices.Contains(names, name) {
				continue
			}
			if out, _ := exec.Command("bash", "-c", "type -t "+quotedAs(name, 4)).Output(); strings.TrimSpace(string(out)) != "builtin" {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// sandbox runs commands in a world of theirs.
type sandbox struct{ world, bwrap, strace, path string }

func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	path, err := filepath.Abs(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	s := &sandbox{bwrap: filepath.Join(path, "bwrap"), path: path}
	if _, err := os.Stat(s.bwrap); err != nil {
		t.Fatalf("There is no bubblewrap to run commands in. Run .tools/setup.sh test, which unpacks it: %v", err)
	}
	if s.strace, err = exec.LookPath("strace"); err != nil {
		t.Fatalf("There is no strace to watch commands with. Run .tools/setup.sh test, which installs it: %v", err)
	}
	s.world = newWorld(t)
	return s
}

// run fails the test for each line that did more than look.
func (s *sandbox) run(t *testing.T, lines []string) {
	s.each(t, lines, func(line string, what []string) {
		if len(what) > 0 {
			t.Errorf("%q was allowed: %s", line, strings.Join(what, "; "))
		}
	})
}

// each runs lines one after the other and says of each what it did beyond
// looking. The world is theirs: a fresh copy after each change.
func (s *sandbox) each(t *testing.T, lines []string, say func(line string, what []string)) {
	for len(lines) > 0 {
		done := s.batch(t, lines, say)
		if done == 0 {
			t.Errorf("the sandbox did not get through %q", lines[0])
			done = 1
		}
		lines = lines[done:]
	}
}

// batch runs lines up to the first that changes the world.
func (s *sandbox) batch(t *testing.T, lines []string, say func(line string, what []string)) (done int) {
	dir := t.TempDir()
	traceFile := filepath.Join(dir, "trace")
	self, err := os.Executable()
	if err != nil {
		t.Error(err)
		return len(lines)
	}
	var in bytes.Buffer
	for n, line := range lines {
		b, err := json.Marshal(order{n, line})
		if err != nil {
			t.Error(err)
		}
		in.Write(append(b, '\n'))
	}
	// Over the world lies a copy that can be written to.
	world := filepath.Join(dir, "world")
	if out, err := exec.Command("cp", "-a", s.world, world).CombinedOutput(); err != nil {
		t.Errorf("copying the world: %v: %s", err, out)
		return len(lines)
	}
	cmd := exec.Command(s.bwrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all", "--die-with-parent", "--new-session",
		"--bind", world, s.world, "--bind", dir, dir, "--chdir", s.world,
		s.strace, "--seccomp-bpf", "-f", "-qq", "-y", "-e", "signal=none", "-e", "trace="+traced, "-s", "4096", "-o", traceFile, self, "-test.run=^$")
	cmd.Env = append(worldEnviron(s.world, s.path), driveIn+"="+s.world)
	cmd.Stdin = &in
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Errorf("the sandbox ended early: %v: %s", err, errs.String())
	}
	trace, err := os.ReadFile(traceFile)
	if err != nil {
		t.Error(err)
	}
	deeds := misdeeds(string(trace), func(n int, program string) bool { return programsOf(lines[n])[program] })
	for dec := json.NewDecoder(&out); dec.More(); {
		var r ran
		if err := dec.Decode(&r); err != nil {
			t.Error(err)
			break
		}
		what := append(r.Changed, deeds[r.N]...)
		if r.Left {
			what = append(what, "it left a process")
		}
		if r.Endless {
			what = append(what, fmt.Sprintf("it ran for more than %v", runLimit))
		}
		say(lines[r.N], what)
		done = r.N + 1
	}
	return done
}
