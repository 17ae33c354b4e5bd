package gate

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// newWorld makes a folder for commands to look at: a git repository full of what
// the corpus names and of names that mean harm, and an empty home beside it.
func newWorld(t *testing.T) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	repo := filepath.Join(dir, "repo")
	put := func(name, text string, mode os.FileMode) {
		path := filepath.Join(repo, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range strings.Fields(`README.md go.mod main.go main_test.go src/main.go src/util.go src/util_test.go src/internal/a.go docs/index.md
		docs/guide.md vendor/v.go package.json in.txt out.txt a b c d f x y data.csv data.json app.log list show get-url 1 3 5 .env sums a.txt b.txt config.yaml Makefile LICENSE`) {
		put(name, "package main\n\nfunc main() {\n\t// TODO fix: foo needle bar\n}\n3 c\n1 a\n2 b\n1 a\nkey: value\n", 0o644)
	}
	put("data.json", `{"name":"x","scripts":{"test":"true"},"a":[1,2,{"b":null}]}`+"\n", 0o644)
	put("package.json", `{"name":"x","version":"1.0.0","scripts":{"test":"touch ran"}}`+"\n", 0o644)
	put("script.sed", "w written\n", 0o644)
	put("prog.awk", "{print > \"written\"}\n", 0o644)
	for _, name := range []string{"--output=zz.py", "-rf", "-delete", "-exec", "-i", "=x", "@x", "+1f", "zz.py", ";touch p", "$(touch p)", "a b.txt", "1e", "w p", "-o", "-f"} {
		put(name, "touch ran\n", 0o644)
	}
	for _, name := range []string{"ls", "cat", "git", "x.sh", "conv.sh", "pwned", "sort"} { // what a program that looks here first would start
		put("bin/"+name, "#!/bin/sh\necho ran > ran\n", 0o755)
	}
	for link, target := range map[string]string{"link": "README.md", "dirlink": "src", "away": "/etc", "passwd": "/etc/passwd", "nowhere": "gone", "keys": "../home/.ssh", "src/internal/keys": "../../../home/.ssh"} {
		if err := os.Symlink(target, filepath.Join(repo, link)); err != nil {
			t.Fatal(err)
		}
	}
	home := filepath.Join(dir, "home")
	if err := os.MkdirAll(filepath.Join(home, ".ssh"), 0o755); err != nil {
		t.Fatal(err)
	}
	put("../home/.ssh/id_rsa", "key\n", 0o600)
	// What the person's own settings may name: nothing that looks starts it.
	put("../home/.gitconfig", "[gpg]\n\tprogram = "+repo+"/bin/pwned\n[merge \"x\"]\n\tdriver = "+repo+"/bin/pwned %A\n", 0o644)
	put(".gitattributes", "merged.txt merge=x\n", 0o644)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", repo, "-c", "user.name=A", "-c", "user.email=a@example.invalid"}, args...)...)
		cmd.Env = worldEnviron(dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	put("src/main.go", "package main\n\n// changed\n", 0o644)
	git("commit", "-q", "-a", "-m", "two")
	git("checkout", "-q", "-b", "other", "HEAD~1")
	put("merged.txt", "theirs\n", 0o644)
	git("add", "merged.txt")
	git("commit", "-q", "-m", "theirs")
	git("checkout", "-q", "main")
	put("merged.txt", "ours\n", 0o644)
	git("add", "merged.txt")
	git("commit", "-q", "-m", "ours")
	git("merge", "-q", "-s", "ours", "--no-edit", "other")
	git("reset", "-q", "--soft", signed(t, repo, worldEnviron(dir)))
	git("tag", "v1.0.0")
	git("branch", "feature")
	git("remote", "add", "origin", "https://example.invalid/x.git")
	put("a", "stashed\n", 0o644)
	git("stash")
	put("src/util.go", "package main\n\n// not committed\n", 0o644)
	put("untracked.txt", "new\n", 0o644)
	return dir
}

// signed is a commit like the one that is checked out, with a signature that is none.
func signed(t *testing.T, repo string, env []string) string {
	t.Helper()
	run := func(in string, args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", repo}, args...)...)
		cmd.Env, cmd.Stdin = env, strings.NewReader(in)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	head, message, _ := strings.Cut(run("", "cat-file", "commit", "HEAD"), "\n\n")
	signature := "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n\n"
	return strings.TrimSpace(run(head+signature+message, "hash-object", "-t", "commit", "-w", "--stdin"))
}

// worldEnviron is the environment of a tool call, with a home of its own.
func worldEnviron(dir string, path ...string) []string {
	return []string{
		"PATH=" + strings.Join(append(path, "/usr/local/bin", "/usr/bin", "/bin"), ":"), "HOME=" + filepath.Join(dir, "home"),
		"LANG=C.UTF-8", "NO_COLOR=1", "TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "GIT_CONFIG_NOSYSTEM=1",
		"LD_LIBRARY_PATH=" + strings.Join(libraries(path), ":"),
	}
}

// libraries are those that come with unpacked programs.
func libraries(bins []string) (dirs []string) {
	for _, bin := range bins {
		found, _ := filepath.Glob(filepath.Join(bin, "../lib/*-linux-gnu*"))
		dirs = append(dirs, found...)
	}
	return dirs
}
