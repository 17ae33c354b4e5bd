// Package place judges where a path leads: inside the workspace, outside it, or
// at something that may hold secrets. It does no I/O; real paths come in as facts.
package place

import (
	"path"
	"slices"
	"strings"

	"strata.dev/bridge/plugins/gate/reason"
)

// Place is where a call happens and what is known about its paths.
type Place struct {
	Windows   bool              // Node's platform is win32
	CWD       string            // what relative paths start from
	Workspace string            // the folder that may be looked at
	Secrets   []string          // absolute paths that no call may touch unasked
	Real      map[string]string // real paths by absolute path; a missing one is judged on its words alone

	memory *memory
}

// Remember makes the place remember what it judged last: the parts of a long command
// mostly look at the same few paths.
func (p *Place) Remember() { p.memory = &memory{} }

// memory is a ring of the newest questions and their answers.
type memory struct {
	asked  [8]question
	said   [8]reason.Reason
	filled int
	next   int
}

// question is what Judge or JudgeIn was asked.
type question struct {
	cwd, word, pattern string
	deep, in, hidden   bool
}

// recall is the answer to a question that was asked lately.
func (m *memory) recall(q *question) (r reason.Reason, known bool) {
	if m == nil {
		return r, false
	}
	for i := range m.filled {
		if m.asked[i] == *q {
			return m.said[i], true
		}
	}
	return r, false
}

// keep notes the answer to a question.
func (m *memory) keep(q *question, r reason.Reason) reason.Reason {
	if m != nil {
		m.asked[m.next], m.said[m.next] = *q, r
		m.filled, m.next = max(m.filled, m.next+1), (m.next+1)%len(m.asked)
	}
	return r
}

// Abs is the absolute, cleaned form of a path word, with forward slashes: what
// facts names and Real is keyed by. It is "" when the word is no path that a
// program would take as it stands.
func (p *Place) Abs(word string) string {
	if word == "" || strings.IndexByte(word, 0) >= 0 || strings.ContainsFunc(word, invisible) {
		return ""
	}
	if p.Windows {
		word = strings.ReplaceAll(word, `\`, "/")
		if !p.rooted(word) && (word[0] == '/' || strings.Contains(word, ":")) || odd(word) {
			return "" // starts from some drive's own folder, or is not what it looks like
		}
	}
	if p.rooted(word) {
		return p.clean(word)
	}
	cwd := p.CWD
	if cwd == "" {
		cwd = p.Workspace
	}
	if p.Windows {
		cwd = strings.ReplaceAll(cwd, `\`, "/")
	}
	if !p.rooted(cwd) {
		return ""
	}
	return p.clean(cwd + "/" + word)
}

// Judge tells why a path may not be looked at unasked; none when it may. deep
// says that all below it is read too.
func (p *Place) Judge(word string, deep bool) reason.Reason {
	q := question{cwd: p.CWD, word: word, deep: deep}
	if r, known := p.memory.recall(&q); known {
		return r
	}
	return p.memory.keep(&q, p.look(word, deep))
}

func (p *Place) look(word string, deep bool) reason.Reason {
	if word == "/dev/null" && !p.Windows { // nothing, on every system that has it
		return reason.Reason{}
	}
	abs := p.Abs(word)
	if abs == "" {
		return reason.Of(reason.Unknown, "path", word)
	}
	if r := p.judge(word, abs, p.slashed(p.Workspace), deep); !r.None() {
		return r
	}
	if p.climbs(word) {
		return reason.Of(reason.Unknown, "path", word)
	}
	real, known := p.Real[abs]
	if !known {
		return reason.Reason{}
	}
	if real == "" {
		return reason.Of(reason.Unknown, "path", word)
	}
	workspace := p.slashed(p.Workspace)
	if r := p.Real[workspace]; r != "" {
		workspace = p.slashed(r)
	}
	if real = p.slashed(real); !p.within(real, workspace) {
		return reason.Of(reason.Leads, "path", word, "real", real)
	}
	return p.judge(word, real, workspace, deep)
}

func (p *Place) judge(word, abs, workspace string, deep bool) reason.Reason {
	if p.secret(abs, deep) {
		return reason.Of(reason.Secret, "path", word)
	}
	if !p.within(abs, workspace) {
		return reason.Of(reason.Outside, "path", word)
	}
	return reason.Reason{}
}

// climbs tells whether a word goes up. Behind a link, up is the folder above what
// the link leads to, wherever Abs puts it; Windows takes the words as they stand.
func (p *Place) climbs(word string) bool {
	return !p.Windows && slices.Contains(strings.Split(word, "/"), "..")
}

func (p *Place) rooted(s string) bool {
	if p.Windows {
		return len(s) >= 3 && s[1] == ':' && s[2] == '/' || strings.HasPrefix(s, "//")
	}
	return strings.HasPrefix(s, "/")
}

func (p *Place) clean(s string) string {
	if p.Windows && strings.HasPrefix(s, "//") {
		return "/" + path.Clean(s) // a share keeps both slashes
	}
	return path.Clean(s)
}

func (p *Place) slashed(s string) string {
	if s == "" {
		return ""
	}
	if p.Windows {
		s = strings.ReplaceAll(s, `\`, "/")
	}
	return p.clean(s)
}

// within tells whether abs is folder or something below it. An empty or root
// folder holds nothing: a workspace that is the whole disk proves nothing.
func (p *Place) within(abs, folder string) bool {
	if folder == "" || folder == "/" || p.Windows && len(folder) == len("C:/") {
		return false
	}
	if p.Windows {
		abs, folder = lower(abs), lower(folder)
	}
	rest, inside := strings.CutPrefix(abs, strings.TrimSuffix(folder, "/"))
	return abs == folder || inside && strings.HasPrefix(rest, "/")
}

// secret tells whether abs is a configured place, lies below one, or has a name
// that speaks of secrets; for a deep look also whether it holds a configured
// place. Case does not count: there are disks for which it does not.
func (p *Place) secret(abs string, deep bool) bool {
	abs = strings.ToLower(abs)
	for _, s := range p.Secrets {
		s = strings.ToLower(p.slashed(s))
		if p.within(abs, s) || deep && p.within(s, abs) {
			return true
		}
	}
	return secretPath(abs)
}
