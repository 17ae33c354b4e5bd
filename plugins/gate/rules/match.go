package rules

import (
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
}

// Path is a path that the command looks at; Deep says that all below it is read,
// File that it must not be a folder.
type Path struct {
	Word string
	Deep bool
	File bool
}

// Match finds the rule that takes all words of a command. piped says that its
// input comes from the command before it.
func (rs *Rules) Match(words []Word, piped bool) Match {
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
	best := refuse("program", reason.Program, "program", name)
	for _, r := range rs.byName[name] {
		m := r.match(args, piped)
		if m.OK {
			return m
		}
		if best.Rule == "program" || best.Rule == "command" { // others say more than that no rule was meant
			best = m
		}
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
	args     []Word
	used     []string // options that were given, "-n", "--name"
	operands []Word
	paths    []Path
}

func (r *rule) match(args []Word, piped bool) Match {
	m := matcher{rule: r, args: args}
	if bad := m.expression(); bad != nil {
		return *bad
	}
	if bad := m.options(); bad != nil {
		return *bad
	}
	if bad := m.words(piped); bad != nil {
		return *bad
	}
	deep := r.Deep == "*" || m.any(r.Deep)
	for i := range m.paths {
		m.paths[i].Deep, m.paths[i].File = deep, r.Files
	}
	return Match{OK: true, Program: r.Name, Rule: r.Name, Paths: m.paths, Git: r.Git}
}

// options takes the options off and leaves the operands.
func (m *matcher) options() *Match {
	for len(m.args) > 0 {
		w := m.args[0]
		m.args = m.args[1:]
		switch {
		case w.Text == "--" && !w.Glob && !m.Plain:
			m.operands = append(m.operands, m.args...)
			m.args = nil
		case len(w.Text) < 2 || w.Text[0] != '-' || m.Plain:
			m.operands = append(m.operands, w)
		case m.First && len(m.operands) > 0:
			return m.refuse("option", reason.Option, "option", w.Text)
		case w.Glob:
			return m.refuse("glob", reason.FilePattern, "text", w.Text)
		case strings.HasPrefix(w.Text, "--"):
			if !m.longOption(w.Text[2:]) {
				return m.refuse("option", reason.Option, "option", w.Text)
			}
		case m.number && strings.Trim(w.Text[1:], "0123456789") == "":
		case !m.bundle(w.Text[1:]):
			return m.refuse("option", reason.Option, "option", w.Text)
		}
	}
	if m.Need != "" && !m.any(m.Need) {
		return m.refuse("command", reason.SubProg)
	}
	return nil
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
		if kind == "" {
			continue
		}
		if i++; i == len(tests) || tests[i].Glob || !m.value(option{kind: kind}, tests[i].Text) {
			return m.refuse("option", reason.Option, "option", tests[i-1].Text)
		}
	}
	return nil
}

func (m *matcher) longOption(text string) bool {
	name, value, has := strings.Cut(text, "=")
	o, ok := m.long[name]
	if !ok {
		return false
	}
	m.used = append(m.used, "--"+name)
	switch {
	case has:
		return o.kind != "" && !strings.Contains(o.kind, "+") && m.value(o, value)
	case o.kind == "" || o.attached:
		return true
	}
	return m.next(o)
}

// bundle walks short options letter by letter; the first that takes a value
// takes the rest of the word.
func (m *matcher) bundle(letters string) bool {
	for i := range len(letters) {
		o, ok := m.short[letters[i]]
		if !ok {
			return false
		}
		m.used = append(m.used, "-"+letters[i:i+1])
		if o.kind == "" {
			continue
		}
		if rest := letters[i+1:]; rest != "" {
			return m.value(o, rest)
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
func (m *matcher) next(o option) bool {
	for kind := range strings.SplitSeq(o.kind, "+") {
		if len(m.args) == 0 || m.args[0].Glob {
			return false
		}
		value := m.args[0].Text
		if strings.HasPrefix(value, "-") && kind != "num" {
			return false
		}
		m.args = m.args[1:]
		if !m.value(option{kind: kind}, value) {
			return false
		}
		if len(m.operands) > 0 && kind != "num" && kind != "path" && value != "" {
			m.paths = append(m.paths, Path{Word: value})
		}
	}
	return true
}

func (m *matcher) value(o option, value string) bool {
	if !fits(o.kind, value) || o.kind == "path" && value == "-" { // - is the input
		return false
	}
	for _, p := range paths(o.kind, value) {
		m.paths = append(m.paths, Path{Word: p})
	}
	return true
}

// words judges the operands.
func (m *matcher) words(piped bool) *Match {
	kinds := m.rule.operands
	if m.Instead != "" && len(kinds) > 0 && m.any(m.Instead) {
		kinds = kinds[1:]
	}
	named := false // there is something to look at
	for i, w := range m.operands {
		kind := ""
		switch {
		case i < len(kinds):
			kind = kinds[i]
		case len(kinds) > 0 && m.repeat == '*':
			kind = kinds[len(kinds)-1]
		}
		if bad := m.operand(kind, w, piped); bad != nil {
			return bad
		}
		named = named || paths(kind, w.Text) != nil
	}
	least := len(kinds)
	if m.repeat != 0 && least > 0 {
		least--
	}
	switch {
	case len(m.operands) < least, m.Input && !named && !piped && !m.any(m.NoInput):
		return m.refuse("operand", reason.Missing)
	case m.Here && !named:
		m.paths = append(m.paths, Path{Word: "."})
	}
	return nil
}

func (m *matcher) operand(kind string, w Word, piped bool) *Match {
	switch {
	case scripts[kind] && !fits(kind, w.Text):
		return m.refuse("script", reason.ScriptOf, "script", w.Text)
	case kind == "" || !fits(kind, w.Text):
		return m.refuse("operand", reason.Operand, "operand", w.Text)
	case w.Glob && !(m.Globs && kind == "path"):
		return m.refuse("glob", reason.FilePattern, "text", w.Text)
	case w.Text == "-" && paths(kind, w.Text) != nil && kind != "rev":
		if !piped {
			return m.refuse("operand", reason.Missing)
		}
		return nil
	case w.Glob:
		if strings.Contains(w.Text, "..") { // the pattern may lead up again
			return m.refuse("glob", reason.FilePattern, "text", w.Text)
		}
		m.paths = append(m.paths, Path{Word: GlobRoot(w.Text)})
		return nil
	}
	for _, p := range paths(kind, w.Text) {
		m.paths = append(m.paths, Path{Word: p})
	}
	return nil
}

// GlobRoot is the folder from which a file pattern looks for names.
func GlobRoot(pattern string) string {
	fixed := pattern[:strings.IndexAny(pattern, "*?[")]
	if i := strings.LastIndexByte(fixed, '/'); i >= 0 {
		return fixed[:i+1]
	}
	return "."
}

// fits tests a word against a kind: a list of words, or one of Kinds.
func fits(kind, text string) bool {
	if strings.ContainsAny(kind, "|=") {
		for choice := range strings.SplitSeq(strings.TrimPrefix(kind, "="), "|") {
			if choice == text {
				return true
			}
		}
		return false
	}
	return Kinds[kind](text)
}

// any tells whether one of these options was given.
func (m *matcher) any(names string) bool {
	for _, used := range m.used {
		if listed(names, used) {
			return true
		}
	}
	return false
}

func (m *matcher) refuse(rule, key string, pairs ...string) *Match {
	bad := refuse(rule, key, append(pairs, "program", m.Name)...)
	return &bad
}
