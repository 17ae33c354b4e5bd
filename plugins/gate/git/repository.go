package git

import (
	"path"
	"slices"
	"strings"

	"strata.dev/bridge/proto/abi"
)

// Judge says what a repository's settings start and whether it lies elsewhere
// than the folder it is used in.
func Judge(r abi.GitRepository, listing []byte) (abi.GitSettings, error) {
	settings, err := parse(listing)
	if err != nil {
		return abi.GitSettings{}, err
	}
	out := abi.GitSettings{Files: []string{}}
	out.Programs = []string{}
	for _, s := range effective(settings) {
		if s.starts() || s.names() {
			out.Programs = append(out.Programs, s.full())
		}
	}
	for _, s := range settings {
		if s.file != "" && !slices.Contains(out.Files, s.file) {
			out.Files = append(out.Files, s.file)
		}
		if s.section == "include" || s.section == "includeif" {
			out.Volatile = true
		}
	}
	for _, hook := range hooks {
		if slices.Contains(r.Hooks, hook) {
			out.Programs = append(out.Programs, "hooks/"+hook)
		}
	}
	for _, name := range r.Env {
		if !harmlessVariable(name) {
			out.Programs = append(out.Programs, name)
		}
	}
	out.Elsewhere = elsewhere(r, settings)
	return out, nil
}

// elsewhere is the folder that git really looks at when it is not the one it is
// used in; "" when it is. A folder can name any repository on the disk, or any
// folder as its working tree.
func elsewhere(r abi.GitRepository, settings []setting) string {
	p := paths{windows: r.Platform == "win32"}
	cwd, top, dir, common := p.clean(r.CWD), p.clean(r.TopLevel), p.clean(r.GitDir), p.clean(r.CommonDir)
	switch {
	case dir == "" || common == "" || cwd == "":
		return r.GitDir
	case !p.within(dir, common):
		return r.CommonDir
	}
	for _, real := range r.Linked {
		if !p.within(p.clean(real), common) {
			return real
		}
	}
	switch {
	case top == "": // bare, or inside of .git
		if p.within(dir, cwd) || p.within(cwd, dir) {
			return ""
		}
		return r.GitDir
	case !p.within(cwd, top):
		return r.TopLevel
	case !p.same(p.clean(r.DotGit), dir): // the working tree is another repository's, or nobody's
		return r.TopLevel
	case p.within(dir, top), p.same(p.clean(r.Back), top+"/.git"), p.same(p.worktree(dir, settings), top):
		return ""
	}
	return r.GitDir // names a repository that does not know of this folder
}

// paths compares paths of a platform.
type paths struct{ windows bool }

func (p paths) clean(s string) string {
	if s == "" {
		return ""
	}
	if p.windows {
		s = strings.ToLower(strings.ReplaceAll(s, `\`, "/"))
	}
	return path.Clean(s)
}

func (p paths) same(a, b string) bool { return a != "" && a == b }

func (p paths) within(a, folder string) bool {
	return folder != "" && (a == folder || strings.HasPrefix(a, strings.TrimSuffix(folder, "/")+"/"))
}

// worktree is the working tree that a repository's own settings name, as those of
// a submodule do.
func (p paths) worktree(dir string, settings []setting) string {
	for _, s := range slices.Backward(settings) {
		if s.own() || s.section != "core" || s.key != "worktree" {
			continue
		}
		tree := p.clean(s.value)
		if path.IsAbs(tree) || p.windows && len(tree) > 1 && tree[1] == ':' {
			return tree
		}
		return path.Join(dir, tree)
	}
	return ""
}
