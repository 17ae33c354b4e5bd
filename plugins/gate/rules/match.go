package rules

import (
	"slices"
	"strings"

	"strata.dev/bridge/plugins/gate/bash"
	"strata.dev/bridge/plugins/gate/reason"
)

// Word is a word of a command line.
type Word = bash.Word

// Match is how a command's words were judged, before anything is known about
// where its paths lead.
type Match struct {
	OK      bool
	Program string // of the rule, "git log"
	Rule    string // stable name of what decided: the program, or the class of what was not proven
	Reason  reason.Reason
	Paths   []Path
	Git     bool // holds only if the repository's settings start no program

	inBash string // Rule in bash, where it is the program
}

// In is the rule's name with the shell in front that it was used in: bash:ls.
func (m Match) In(shell string) string {
	if m.inBash != "" && shell == "bash" {
		return m.inBash
	}
	return shell + ":" + m.Rule
}

// Path is a path that the command looks at; Deep says that all below it is read,
// File that it must not be a folder, Pattern which names in it are looked at ("":
// not by a pattern), or which below, with slashes between.
type Path struct {
	Word    string
	Deep    bool
	File    bool
	Pattern string
	// Hidden says that the pattern picks names with a dot in front, too. No rule knows
	// that: a shell does.
	Hidden bool
	// Bare says that the program gets the names as words of their own, so that none
	// may look like an option. Known says that they must have been looked up for that.
	Bare, Known bool
	// Links says that what lies below is read through links, too; with Known none
	// may be left out.
	Links bool
}

// Match finds the rule that takes all words of a command. piped says that its
// input comes from the command before it.
func (rs *Rules) Match(words []Word, piped bool) Match {
	return rs.match(words, piped, func(f *family) []*rule {
		checked, _ := f.checked() // lists that are wrong in themselves take nothing
		return checked
	})
}

func (rs *Rules) match(words []Word, piped bool, rulesOf func(*family) []*rule) Match {
	if len(words) == 0 || words[0].Text == "" {
		return refuse("program", reason.Empty)
	}
	name, args := words[0].Text, words[1:]
	switch {
	case strings.ContainsAny(name, `/\`):
		return refuse("location", reason.ByLocation, "program", name)
	case words[0].Glob:
		return refuse("program", reason.Program, "program", name)
	case name == "git":
		var m Match
		if name, args, m = subcommand(args); name == "" {
			return m
		}
	}
	var best Match
	if family := rs.index()[name]; family != nil {
		for _, r := range rulesOf(family) {
			m := r.match(args, piped)
			if m.OK {
				return m
			}
			if best.Rule == "" || best.Rule == "program" || best.Rule == "command" { // others say more than that no rule was meant
				best = m
			}
		}
	}
	if best.Rule == "" {
		return refuse("program", reason.Program, "program", name)
	}
	return best
}

// subcommand takes git's own options off. Only those that switch the pager off
// are taken: the others name another repository or settings that start programs.
func subcommand(args []Word) (string, []Word, Match) {
	for len(args) > 0 && !args[0].Glob && (args[0].Text == "--no-pager" || args[0].Text == "-P") {
		args = args[1:]
	}
	switch {
	case len(args) == 0 || args[0].Glob:
		return "", nil, refuse("program", reason.Missing, "program", "git")
	case args[0].Text == "-C" && len(args) > 1:
		return "", nil, refuse("git-other", reason.GitOther, "folder", args[1].Text)
	case strings.HasPrefix(args[0].Text, "-") && args[0].Text != "--version":
		return "", nil, refuse("option", reason.Option, "program", "git", "option", args[0].Text)
	}
	return "git " + args[0].Text, args[1:], Match{}
}

func refuse(rule, key string, pairs ...string) Match {
	return Match{Rule: rule, Reason: reason.Of(key, pairs...)}
}

// matcher walks one command's words along one rule.
type matcher struct {
	*rule
	args     []Word // still to be looked at
	operands []Word
	from     int // which of all words operands begins with, where it is a part of them
	paths    []Path
	given    option // the lists that name an option that was given
}

func (r *rule) match(args []Word, piped bool) Match {
	m := matcher{rule: r, args: args}
	if bad := m.expression(); bad != nil {
		return *bad
	}
	if m.verb {
		if len(args) == 0 || args[0].Glob || !m.rule.operands[0].takes(args[0].Text) {
			return *m.refuse("command", reason.SubProg)
		}
	}
	if bad := m.options(); bad != nil {
		return *bad
	}
	if bad := m.words(piped); bad != nil {
		return *bad
	}
	deep := r.deep || m.given.deep
	for i := range m.paths {
		m.paths[i].Deep, m.paths[i].File = deep, r.Files
		if r.Links {
			m.paths[i].Links, m.paths[i].Known = true, true
		}
	}
	return Match{OK: true, Program: r.Name, Rule: r.Name, Paths: m.paths, Git: r.Git, inBash: r.inBash}
}

// options takes the options off and leaves the operands.
func (m *matcher) options() *Match {
	all := m.args
	for len(m.args) > 0 {
		w := m.args[0]
		m.args = m.args[1:]
		switch {
		case m.First && len(m.operands) > 0 && len(w.Text) > 1 && w.Text[0] == '-': // -- is an operand, too
			return m.refuse("option", reason.Option, "option", w.Text)
		case w.Text == "--" && !w.Glob && !m.Plain:
			m.leave(all, len(all)-len(m.args), len(all))
			m.args = nil
		case len(w.Text) < 2 || w.Text[0] != '-' || m.Plain:
			at := len(all) - len(m.args) - 1
			m.leave(all, at, at+1)
		case w.Glob && !m.inText(w.Text):
			return m.refuse("glob", reason.FilePattern, "text", w.Text)
		case strings.HasPrefix(w.Text, "--"):
			if !m.longOption(w.Text[2:]) {
				return m.refuse("option", reason.Option, "option", w.Text)
			}
		case m.number && digits(w.Text[1:]):
		case !m.bundle(w.Text[1:]):
			return m.refuse("option", reason.Option, "option", w.Text)
		}
	}
	if m.Need != "" && !m.given.need {
		return m.refuse("command", reason.SubProg)
	}
	return nil
}

// leave leaves words from to end of all as operands. They mostly stand together, and
// then no copy is made.
func (m *matcher) leave(all []Word, from, end int) {
	switch {
	case len(m.operands) == 0:
		m.from, m.operands = from, all[from:end:end]
	case m.from+len(m.operands) == from:
		m.operands = all[m.from:end:end]
	default:
		m.from, m.operands = -len(all), append(m.operands, all[from:end]...)
	}
}

// inText tells whether a file pattern stands in the text of a long option, as in
// --include=*.go: what it may stand for then is the same option again.
func (m *matcher) inText(word string) bool {
	option, text, _ := strings.Cut(word, "=")
	o := m.rule.longOption(strings.TrimPrefix(option, "--"))
	return text != "" && !strings.ContainsAny(option, "*?[") && o != nil && len(o.kinds) == 1 && slices.Contains([]string{"text", "pattern", "regex"}, o.kinds[0].name)
}

// expression takes off the words from the first one that begins an expression on.
func (m *matcher) expression() *Match {
	if m.Expression == "" {
		return nil
	}
	start := len(m.args)
	for i, w := range m.args {
		if strings.HasPrefix(w.Text, "-") || w.Text == "(" || w.Text == "!" {
			start = i
			break
		}
	}
	tests := m.args[start:]
	m.args = m.args[:start]
	for i := 0; i < len(tests); i++ {
		kind, ok := m.tests[tests[i].Text]
		if !ok || tests[i].Glob {
			return m.refuse("option", reason.Option, "option", tests[i].Text)
		}
		if kind.takes == nil {
			continue
		}
		if i++; i == len(tests) || tests[i].Glob || !m.value(kind, tests[i].Text) {
			return m.refuse("option", reason.Option, "option", tests[i-1].Text)
		}
	}
	return nil
}

func (m *matcher) longOption(text string) bool {
	name, value, has := strings.Cut(text, "=")
	o := m.rule.longOption(name)
	if o == nil {
		return false
	}
	m.use(o)
	switch {
	case has:
		return len(o.kinds) == 1 && m.value(o.kinds[0], value)
	case o.kinds == nil || o.attached:
		return true
	}
	return m.next(o)
}

func (m *matcher) use(o *option) {
	m.given.need = m.given.need || o.need
	m.given.instead = m.given.instead || o.instead
	m.given.deep = m.given.deep || o.deep
}

// bundle walks short options letter by letter; the first that takes a value
// takes the rest of the word. A path behind = is not taken: some programs take
// the sign off, others take it for a part of the name.
func (m *matcher) bundle(letters string) bool {
	for i := range len(letters) {
		o := m.shortOption(letters[i])
		if o == nil {
			return false
		}
		m.use(o)
		rest := letters[i+1:]
		if o.kinds == nil {
			if m.Single && rest != "" {
				return false
			}
			continue
		}
		if rest != "" {
			looks := len(o.kinds) == 1 && (o.kinds[0].path != nil)
			return len(o.kinds) == 1 && !o.apart && !(looks && rest[0] == '=') && m.value(o.kinds[0], rest)
		}
		return o.attached || m.next(o)
	}
	return true
}

// next takes the next word as an option's value, or the next two. Unless it is a
// number, one that looks like an option is not taken: a program that reads it as
// an option after all (git, for an option that wants its value attached) would
// act on it. Behind an operand it must be harmless as a path too: some programs
// look for options only before their operands.
func (m *matcher) next(o *option) bool {
	for _, kind := range o.kinds {
		if len(m.args) == 0 || m.args[0].Glob {
			return false
		}
		value := m.args[0].Text
		if strings.HasPrefix(value, "-") && kind.name != "num" {
			return false
		}
		m.args = m.args[1:]
		if !m.value(kind, value) {
			return false
		}
		if len(m.operands) > 0 && kind.name != "num" && kind.name != "path" && value != "" {
			m.paths = append(m.paths, Path{Word: value})
		}
	}
	return true
}

func (m *matcher) value(k kind, value string) bool {
	if !k.takes(value) || k.name == "path" && value == "-" { // - is the input
		return false
	}
	m.look(k, value)
	return true
}

// look notes the path that a word of this kind names.
func (m *matcher) look(k kind, text string) {
	if k.path != nil {
		m.paths = append(m.paths, Path{Word: k.path(text)})
	}
	if k.also != nil {
		if other := k.also(text); other != "" {
			m.paths = append(m.paths, Path{Word: other})
		}
	}
}

// words judges the operands.
func (m *matcher) words(piped bool) *Match {
	kinds := m.rule.operands
	if len(kinds) > 0 && m.given.instead {
		kinds = kinds[1:]
	}
	named := false // there is something to look at
	for i, w := range m.operands {
		var kind kind
		switch {
		case i < len(kinds):
			kind = kinds[i]
		case len(kinds) > 0 && m.repeat == '*':
			kind = kinds[len(kinds)-1]
		}
		if bad := m.operand(kind, w, piped); bad != nil {
			return bad
		}
		named = named || kind.path != nil
	}
	least := len(kinds)
	if m.repeat != 0 && least > 0 {
		least--
	}
	switch {
	case len(m.operands) < least, m.Input && !named && !piped:
		return m.refuse("operand", reason.Missing)
	case m.Here && !named:
		m.paths = append(m.paths, Path{Word: "."})
	}
	return nil
}

func (m *matcher) operand(k kind, w Word, piped bool) *Match {
	takes := k.takes != nil && k.takes(w.Text)
	switch {
	case k.script && !takes:
		return m.refuse("script", reason.ScriptOf, "script", w.Text)
	case !takes:
		return m.refuse("operand", reason.Operand, "operand", w.Text)
	case w.Glob && !(m.Globs && k.name == "path") && !m.many(k, w.Text):
		return m.refuse("glob", reason.FilePattern, "text", w.Text)
	case w.Text == "-" && k.path != nil && k.name != "rev":
		if !piped {
			return m.refuse("operand", reason.Missing)
		}
		return nil
	case w.Glob:
		first := len(m.paths)
		var ok bool
		if m.paths, ok = ByPattern(m.paths, w.Text); !ok {
			return m.refuse("glob", reason.FilePattern, "text", w.Text)
		}
		if p := &m.paths[first]; p.Word == "." {
			p.Bare, p.Known = true, !m.Globs
		}
		return nil
	}
	m.look(k, w.Text)
	return nil
}

// many tells whether an operand is one of any number of paths, so that a file
// pattern may stand for several. A pattern behind a folder that begins with a dash
// stands for options.
func (m *matcher) many(k kind, pattern string) bool {
	return m.repeat == '*' && k.path != nil && k.name == m.rule.operands[len(m.rule.operands)-1].name && k.name != "rev" && pattern[0] != '-'
}

// ByPattern adds the paths that a file pattern looks at: the folder where it
// begins, and what it would be without its wildcards, so that *.pem looks like
// what it is. A pattern that may lead up again is not ok: .* does, for some shells.
func ByPattern(paths []Path, pattern string) (all []Path, ok bool) {
	first := strings.IndexAny(pattern, wildcards)
	folder := pattern[:strings.LastIndexByte(pattern[:first], '/')+1]
	names := pattern[len(folder):]
	if strings.Contains(pattern, "..") && !strings.HasPrefix(names, ".[!.]") && !strings.HasPrefix(names, ".[^.]") {
		return paths, false
	}
	for segment := range strings.SplitSeq(strings.TrimSuffix(names, "/"), "/") {
		if segment == "" || segment == "." || leadsUp(segment) {
			return paths, false
		}
	}
	root := folder
	if root == "" {
		root = "."
	}
	paths = append(slices.Grow(paths, 2), Path{Word: root, Pattern: names})
	plain := folder + strings.Trim(strings.Map(dropWildcard, names), "/")
	if plain != "" && plain != strings.TrimRight(folder, "/") {
		paths = append(paths, Path{Word: plain})
	}
	return paths, true
}

// leadsUp tells whether a part of a pattern may pick the two dots of the folder
// above, as .* does for some shells.
func leadsUp(segment string) bool {
	if len(segment) < 2 || segment[0] != '.' || strings.IndexByte(wildcards, segment[1]) < 0 {
		return false
	}
	return !strings.HasPrefix(segment, ".[!.]") && !strings.HasPrefix(segment, ".[^.]")
}

func dropWildcard(r rune) rune {
	if r == '*' || r == '?' || r == '[' || r == ']' {
		return -1
	}
	return r
}

func (m *matcher) refuse(rule, key string, pairs ...string) *Match {
	bad := refuse(rule, key, append(pairs, "program", m.Name)...)
	return &bad
}
