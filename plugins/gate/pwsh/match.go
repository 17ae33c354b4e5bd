package pwsh

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"strata.dev/bridge/plugins/gate/bash"
	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/plugins/gate/rules"
)

// Part is one command of a line and how it was judged by its words alone. A line
// that cannot be taken apart is one part.
type Part struct {
	Text  string
	Match rules.Match
	Words []bash.Word // nil where they do not say all that it does
}

// Judge takes a command line apart and finds the rule of each command. On
// Windows more words are aliases, and programs read their arguments in other ways.
func Judge(src string, windows bool) []Part { return builtin().judge(src, windows) }

func (t *table) judge(src string, windows bool) []Part {
	commands, problem := parse(src)
	if !problem.None() {
		return []Part{{Text: src, Match: rules.Match{Rule: problem.Rule, Reason: problem.Reason}}}
	}
	parts, aims := make([]Part, len(commands)), make([]string, len(commands))
	form := ""
	for i, c := range commands {
		if !c.piped {
			form = ""
		}
		parts[i].Text = c.text
		parts[i].Words = wordsOf(c, windows)
		came := form
		parts[i].Match, form, aims[i] = t.match(c, form, windows)
		if came == "files" && parts[i].Match.Program == "Select-String" {
			opened(parts[:i+1], commands, aims[:i+1])
		}
	}
	return parts
}

// opened judges the files that the last of parts looks into: those that the first
// command of its pipeline lists and that the ones between let through. Any name of
// the folders may be one, and what picks them must not aim at secrets.
func opened(parts []Part, commands []command, aims []string) {
	last := len(parts) - 1
	i := last - 1
	for ; i > 0 && commands[i].piped; i-- {
	}
	if at := slices.IndexFunc(aims[i:], func(text string) bool { return text != "" }); at >= 0 {
		parts[last].Match = refuse("path", reason.Secret, "path", aims[i+at])
	}
	paths := parts[i].Match.Paths
	for j := range paths {
		paths[j].Links = paths[j].Deep
		if paths[j].Pattern == "" {
			paths[j].Pattern = "*"
		}
	}
}

// match judges one command: a cmdlet by its name or alias, or else a program.
// form is what is piped in, "" nothing; the form of what comes out is returned, and
// by what it picks files with secrets among others.
func (t *table) match(c command, form string, windows bool) (_ rules.Match, out, aims string) {
	first := c.args[0].items[0]
	if len(c.args[0].items) > 1 || !first.bare {
		return refuse("program", reason.Program, "program", first.text), "", ""
	}
	name := strings.ToLower(first.text)
	found := t.byName[name]
	if found == nil && windows {
		found = t.windows[name]
	}
	if found == nil {
		return program(c, windows), "text", ""
	}
	m := matcher{cmdlet: found, windows: windows, form: form, piped: c.piped, bound: map[string]argument{}}
	if bad := m.bind(c.args[1:]); bad != nil {
		return *bad, "", ""
	}
	match, out := m.judge()
	return match, out, m.aims()
}

func refuse(rule, key string, pairs ...string) rules.Match {
	return rules.Match{Rule: rule, Reason: reason.Of(key, pairs...)}
}

// matcher binds one command's arguments to the parameters of a cmdlet.
type matcher struct {
	*cmdlet
	windows bool
	piped   bool
	form    string // of what is piped in
	bound   map[string]argument
	paths   []rules.Path
}

// bind gives each parameter its value: those with a name first, then the rest by
// their positions, as PowerShell does.
func (m *matcher) bind(args []argument) *rules.Match {
	var rest []argument
	for len(args) > 0 {
		a := args[0]
		args = args[1:]
		first := a.items[0]
		if !dashed(first.text) {
			rest = append(rest, a)
			continue
		}
		p, ok := m.parameters[strings.ToLower(strings.TrimPrefix(first.text, "-"))]
		if !ok || len(a.items) > 1 || !first.bare {
			return m.refuse("option", reason.Option, "option", first.text)
		}
		if _, twice := m.bound[p.name]; twice {
			return m.refuse("option", reason.Repeated, "option", first.text)
		}
		value := argument{}
		if p.kind != "" {
			if len(args) == 0 {
				return m.refuse("option", reason.Option, "option", first.text)
			}
			value, args = args[0], args[1:]
		}
		if bad := m.value(p, first.text, value); bad != nil {
			return bad
		}
		m.bound[p.name] = value
	}
	for _, name := range m.positions {
		if _, named := m.bound[name]; named || len(rest) == 0 {
			continue
		}
		if bad := m.value(m.parameters[name], rest[0].items[0].text, rest[0]); bad != nil {
			return bad
		}
		m.bound[name], rest = rest[0], rest[1:]
	}
	if len(rest) > 0 {
		return m.refuse("operand", reason.Operand, "operand", rest[0].items[0].text)
	}
	return nil
}

// value judges what a parameter is given.
func (m *matcher) value(p parameter, shown string, a argument) *rules.Match {
	if len(a.items) > 1 && !p.list {
		return m.refuse("option", reason.Option, "option", shown)
	}
	for _, w := range a.items {
		fits := kinds[p.kind]
		switch {
		case dashed(w.text), strings.HasPrefix(w.text, "-") && p.kind != "text",
			fits == nil && !choice(p.kind, w.text), fits != nil && !fits(w.text),
			p.kind == "property" && m.form == "process" && !slices.Contains(processProperties, strings.ToLower(w.text)):
			return m.refuse("option", reason.Option, "option", shown)
		case p.kind == "path" || p.kind == "literal":
			if bad := m.path(w, p.kind == "path"); bad != nil {
				return bad
			}
		}
	}
	return nil
}

// processProperties are the properties of a process that may be looked at. Others
// hold its environment.
var processProperties = []string{
	"name", "processname", "id", "cpu", "ws", "workingset", "workingset64", "pm", "npm", "vm", "handles", "handlecount",
	"starttime", "responding", "si", "sessionid", "threads", "priorityclass", "totalprocessortime",
}

// judge says what a cmdlet with bound parameters does with its place in the pipe.
func (m *matcher) judge() (rules.Match, string) {
	takes := strings.Fields(m.Takes)
	if m.piped && !slices.Contains(takes, m.form) && !(slices.Contains(takes, "*") && m.form != "format" && m.form != "process") {
		return *m.refuse("pipe", reason.PipedInto), ""
	}
	for _, one := range m.needs {
		if !slices.ContainsFunc(one, m.given) {
			return *m.refuse("operand", reason.Missing), ""
		}
	}
	if m.Here && len(m.paths) == 0 {
		m.paths = append(m.paths, rules.Path{Word: "."})
	}
	_, deep := m.bound[m.deep]
	for i := range m.paths {
		m.paths[i].Deep = deep
	}
	form := m.Gives
	switch {
	case form == "=" && m.given("excludeproperty") && m.form == "process" && !m.given("property") && !m.given("expandproperty"):
		form = m.form // all properties but one
	case form == "=" && m.given("property"), form == "=" && m.given("expandproperty"), form == "=" && m.given("excludeproperty"):
		if form = "objects"; m.Name != "Select-Object" { // sorts and filters, and lets through what came
			form = m.form
		}
	case form == "=":
		form = m.form
	}
	return rules.Match{OK: true, Program: m.Name, Rule: m.Name, Paths: m.paths}, form
}

func (m *matcher) given(name string) bool {
	_, ok := m.bound[name]
	return ok || name == "pipe" && m.piped
}

func (m *matcher) refuse(rule, key string, pairs ...string) *rules.Match {
	bad := refuse(rule, key, append(pairs, "program", m.Name)...)
	return &bad
}

// dashed tells whether a bare word like this could be read as a parameter. Such
// a text is not taken as a value either, quoted or not. --- is no parameter.
func dashed(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	switch r {
	case '-':
	case '\u2013', '\u2014', '\u2015': // taken for a plain dash
		return true
	default:
		return false
	}
	r, _ = utf8.DecodeRuneInString(s[size:])
	return s == "-" || s == "--" || r == '_' || r == '?' || unicode.IsLetter(r) || unicode.IsDigit(r)
}
