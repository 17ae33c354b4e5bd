package git

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/abi"
)

// listed makes git's output of lines "scope key=value".
func listed(lines ...string) []byte {
	var out strings.Builder
	for _, line := range lines {
		scope, setting, _ := strings.Cut(line, " ")
		key, value, given := strings.Cut(setting, "=")
		out.WriteString(scope + "\x00file:/" + scope + "/config\x00" + key)
		if given {
			out.WriteString("\n" + value)
		}
		out.WriteString("\x00")
	}
	return []byte(out.String())
}

// plainRepository is a folder with a repository of its own.
func plainRepository() abi.GitRepository {
	return abi.GitRepository{CWD: "/w/src", TopLevel: "/w", GitDir: "/w/.git", CommonDir: "/w/.git", DotGit: "/w/.git", Platform: "linux"}
}

func TestPrograms(t *testing.T) {
	tests := map[string]struct {
		settings string // lines
		want     []string
	}{
		"nothing": {"", nil},
		"what a clone holds": {`local core.repositoryformatversion=0
local core.filemode=true
local core.bare=false
local core.logallrefupdates=true
local remote.origin.url=ssh://git@host/x.git
local remote.origin.fetch=+refs/heads/*:refs/remotes/origin/*
local branch.main.remote=origin
local branch.main.merge=refs/heads/main
local branch.main.vscode-merge-base=origin/main
local submodule.lib.url=../lib
local submodule.lib.active=true
local core.hookspath=.husky/_
local gc.auto=0
local merge.ours.driver=true
local pull.rebase=true`, nil},
		"what a person has": {`system core.editor=vim
global user.name=A
global core.pager=delta
global alias.st=status
global alias.x=!touch x
global gpg.program=/usr/bin/gpg
global gpg.ssh.program=op-ssh-sign
global credential.helper=store
global core.sshcommand=ssh -i x
global interactive.difffilter=delta --color-only
global merge.tool=vimdiff
global mergetool.vimdiff.cmd=x
global init.defaultbranch=main
global format.pretty=oneline
global log.showsignature=false
global core.fsmonitor=false
command safe.directory=*`, nil},
		"the same in the folder": {`local core.pager=delta
local alias.st=status
local alias.x=!touch x
local gpg.program=/usr/bin/gpg
local gpg.ssh.program=op-ssh-sign
local credential.helper=store
local core.sshcommand=ssh -i x
local interactive.difffilter=delta
local mergetool.vimdiff.cmd=x
local pager.log=less
local pager.diff=false
worktree core.editor=vim
local merge.x.driver=x %A
local sequence.editor=x
local core.gitproxy=x
local core.askpass=x
local submodule.a.update=!x
local uploadpack.packobjectshook=x
local tar.x.command=x
local difftool.x.cmd=x`, []string{
			"core.pager", "alias.x", "gpg.program", "gpg.ssh.program", "credential.helper", "core.sshcommand", "interactive.difffilter",
			"mergetool.vimdiff.cmd", "pager.log", "core.editor", "merge.x.driver", "sequence.editor", "core.gitproxy", "core.askpass",
			"submodule.a.update", "uploadpack.packobjectshook", "tar.x.command", "difftool.x.cmd"}},
		"what a reading command starts": {`global core.fsmonitor=true
global diff.external=difft
global diff.pdf.textconv=pdftotext
global diff.x.command=x
global filter.lfs.clean=git-lfs clean -- %f
global filter.lfs.smudge=git-lfs smudge -- %f
global filter.lfs.process=git-lfs filter-process
global filter.lfs.required=true
global filter.none.clean=
global log.showsignature
global log.diffmerges=remerge
global format.pretty=%h %G?
global branch.sort=signature
global hook.x.command=x
global trace2.eventtarget=/tmp/x
local remote.o.promisor=true
local remote.o.partialclonefilter=blob:none
local extensions.partialclone=o`, []string{
			"core.fsmonitor", "diff.external", "diff.pdf.textconv", "diff.x.command", "filter.lfs.clean", "filter.lfs.smudge",
			"filter.lfs.process", "log.showsignature", "log.diffmerges", "format.pretty", "branch.sort", "hook.x.command",
			"trace2.eventtarget", "remote.o.promisor", "remote.o.partialclonefilter", "extensions.partialclone"}},
		"a format of its own":   {"local format.pretty=mine\nlocal pretty.mine=%G?", []string{"format.pretty"}},
		"a harmless format":     {"local format.pretty=format:%h %an", nil},
		"the last value counts": {"global core.fsmonitor=watch\nlocal core.fsmonitor=false\nglobal diff.a.textconv=x\nlocal diff.a.textconv=y", []string{"diff.a.textconv"}},
		"a name with dots":      {"local diff.a.b=c.textconv=x", nil},
	}
	for name, test := range tests {
		var lines []string
		if test.settings != "" {
			lines = strings.Split(test.settings, "\n")
		}
		got, err := Judge(plainRepository(), listed(lines...))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if test.want == nil {
			test.want = []string{}
		}
		if diff := cmp.Diff(abi.GitFacts{Programs: test.want}, got.GitFacts); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestJudgeTellsHowLongItHolds(t *testing.T) {
	got, err := Judge(plainRepository(), listed("global user.name=a", "local core.bare=false", "local include.path=x"))
	if err != nil {
		t.Fatal(err)
	}
	want := abi.GitSettings{GitFacts: abi.GitFacts{Programs: []string{}}, Files: []string{"/global/config", "/local/config"}, Volatile: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestHooksAndVariables(t *testing.T) {
	r := plainRepository()
	r.Hooks = []string{"pre-commit", "post-index-change", "post-index-change.sample"}
	r.Env = []string{"GIT_PAGER", "GIT_CONFIG_KEY_0", "GIT_AUTHOR_NAME", "GIT_EXTERNAL_DIFF", "GIT_TRACE"}
	got, err := Judge(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"hooks/post-index-change", "GIT_EXTERNAL_DIFF", "GIT_TRACE"}
	if diff := cmp.Diff(want, got.Programs); diff != "" {
		t.Error(diff)
	}
}

func TestElsewhere(t *testing.T) {
	tests := map[string]struct {
		change   func(*abi.GitRepository)
		settings []string
		want     string
	}{
		"its own": {func(*abi.GitRepository) {}, nil, ""},
		"a linked working tree": {func(r *abi.GitRepository) {
			r.GitDir, r.DotGit, r.CommonDir, r.Back = "/m/.git/worktrees/w", "/m/.git/worktrees/w", "/m/.git", "/w/.git"
		}, nil, ""},
		"a submodule": {func(r *abi.GitRepository) {
			r.GitDir, r.DotGit, r.CommonDir = "/.git/modules/w", "/.git/modules/w", "/.git/modules/w"
		}, []string{"local core.worktree=../../../w"}, ""},
		"a bare one": {func(r *abi.GitRepository) {
			*r = abi.GitRepository{CWD: "/w.git", GitDir: "/w.git", CommonDir: "/w.git"}
		}, nil, ""},
		"inside of .git": {func(r *abi.GitRepository) { r.TopLevel, r.DotGit, r.CWD = "", "", "/w/.git/refs" }, nil, ""},
		"a file that names another": {func(r *abi.GitRepository) {
			r.GitDir, r.DotGit, r.CommonDir = "/secret/.git", "/secret/.git", "/secret/.git"
		}, nil, "/secret/.git"},
		"a file that names another's working tree": {func(r *abi.GitRepository) {
			r.GitDir, r.DotGit, r.CommonDir, r.Back = "/m/.git/worktrees/x", "/m/.git/worktrees/x", "/m/.git", "/x/.git"
		}, nil, "/m/.git/worktrees/x"},
		"a file that names a bare one": {func(r *abi.GitRepository) {
			r.TopLevel, r.DotGit, r.GitDir, r.CommonDir = "", "", "/secret.git", "/secret.git"
		}, nil, "/secret.git"},
		"another's refs and objects":    {func(r *abi.GitRepository) { r.CommonDir = "/secret/.git" }, nil, "/secret/.git"},
		"links into another":            {func(r *abi.GitRepository) { r.Linked = []string{"/w/.git/a", "/secret/.git/refs"} }, nil, "/secret/.git/refs"},
		"another folder as its tree":    {func(r *abi.GitRepository) { r.TopLevel, r.DotGit = "/", "" }, []string{"local core.worktree=/"}, "/"},
		"a tree that is not around":     {func(r *abi.GitRepository) { r.TopLevel, r.DotGit = "/home", "/home/.git" }, nil, "/home"},
		"the person's tree is no proof": {func(r *abi.GitRepository) { r.GitDir, r.DotGit, r.CommonDir = "/x", "/x", "/x" }, []string{"global core.worktree=/w"}, "/x"},
		"nothing is known":              {func(r *abi.GitRepository) { r.GitDir, r.CommonDir = "/x", "" }, nil, "/x"},
		"Windows": {func(r *abi.GitRepository) {
			*r = abi.GitRepository{CWD: `C:\W\src`, TopLevel: "c:/w", GitDir: "C:/W/.git", CommonDir: `C:\W\.git`, DotGit: `C:\w\.git`, Platform: "win32"}
		}, nil, ""},
	}
	for name, test := range tests {
		r := plainRepository()
		test.change(&r)
		got, err := Judge(r, listed(test.settings...))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got.Elsewhere); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// What cannot be read must not pass for nothing.
func TestJudgeRefusesAListingThatItCannotRead(t *testing.T) {
	good := string(listed("local core.bare=false"))
	for _, listing := range []string{good[:len(good)-1], good + good[6:], "local\x00file:/x\x00nodot\n1\x00", "local\x00file:/x\x00a.\n1\x00", "\x00"} {
		if got, err := Judge(plainRepository(), []byte(listing)); err == nil {
			t.Errorf("%q: %+v", listing, got)
		}
	}
}

func FuzzJudge(f *testing.F) {
	f.Add(listed("local core.fsmonitor=x", "global include.path=a"))
	f.Add([]byte("local\x00file:/x\x00core.bare\x00"))
	f.Fuzz(func(t *testing.T, listing []byte) {
		got, err := Judge(plainRepository(), listing)
		if err == nil && (got.Programs == nil || got.Files == nil) {
			t.Errorf("%q: %+v", listing, got)
		}
		// A program that git would go by is seen, whatever stands around it.
		more := append(append([]byte{}, listing...), listed("local core.fsmonitor=./x")...)
		if all, failed := Judge(plainRepository(), more); err == nil && (failed != nil || len(all.Programs) == 0) {
			t.Errorf("%q and a program: %+v, %v", listing, all, failed)
		}
	})
}
