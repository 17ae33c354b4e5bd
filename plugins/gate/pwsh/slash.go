package pwsh

import (
	"slices"
	"strings"

	"strata.dev/bridge/plugins/gate/place"
	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/plugins/gate/rules"
)

// slashProgram is the accept-list of a Windows program whose options begin with
// a slash.
type slashProgram struct {
	names   string // in lower case, all that start it
	letters string // options of one letter; may stand behind one slash if bundled
	bundled bool
	words   string // options of several letters
	texts   string // letters of options with a text behind a colon: /c:text
	first   bool   // the first operand is a text, unless such an option was given
	paths   int    // how many paths it takes at least and at most
	most    int
	piped   bool // reads its input when it has no path
	program bool // its operands are names of programs
}

// slashPrograms are looked up before the programs that are the same everywhere.
// fc and where alone are aliases; so these need their ending.
var slashPrograms = []slashProgram{
	// Never /f and /d (lists of files and folders), /g (a file of texts), /a.
	{names: "findstr findstr.exe", letters: "belrsixvnmop", bundled: true, words: "offline", texts: "c", first: true, most: 50, piped: true},
	{names: "where.exe", letters: "qft", paths: 1, most: 20, program: true}, // never /r, which looks through a folder
	{names: "fc.exe", letters: "abclntuw", paths: 2, most: 2},
	{names: "tree tree.com", letters: "fa", most: 1},
}

// slashed judges a command of one of slashPrograms.
func slashed(c command) (rules.Match, bool) {
	given := c.args[0].items[0].text
	name := strings.ToLower(given)
	for _, p := range slashPrograms {
		for one := range strings.FieldsSeq(p.names) {
			if one == name {
				return p.match(given, c), true
			}
		}
	}
	return rules.Match{}, false
}

func (p slashProgram) match(name string, c command) rules.Match {
	out := rules.Match{OK: true, Program: strings.ToLower(name), Rule: strings.TrimSuffix(strings.ToLower(name), ".exe")}
	m := matcher{cmdlet: &cmdlet{Cmdlet: Cmdlet{Name: name, Reads: true}}, windows: true}
	texted, below, operands := false, false, 0
	var patterns []string
	for _, a := range c.args[1:] {
		w, ok := native(a)
		text := w.Text
		switch {
		case !ok:
			return refuse("quoting", reason.Quoting, "program", name, "text", text)
		case text[0] == '/' || text[0] == '-': // some take a dash as well
			isText, ok := p.option(strings.ToLower(text[1:]))
			if !ok {
				return refuse("option", reason.Option, "program", name, "option", text)
			}
			texted = texted || isText
			below = below || p.first && !isText && strings.Contains(strings.ToLower(text), "s")
			continue
		}
		operands++
		switch {
		case p.first && !texted && operands == 1:
		case p.program:
			if !rules.Fits("prog", text) {
				return refuse("operand", reason.Operand, "program", name, "operand", text)
			}
		default:
			if bad := m.path(word{text: text}, true); bad != nil {
				return *bad
			}
			patterns = append(patterns, strings.ReplaceAll(text, `\`, "/"))
		}
	}
	if below && slices.ContainsFunc(patterns, place.PatternFitsSecret) {
		return refuse("path", reason.Secret, "path", name)
	}
	files := operands
	if p.first && !texted {
		files--
	}
	switch {
	case files < p.paths, p.first && files < 0, p.piped && files == 0 && !c.piped:
		return refuse("operand", reason.Missing, "program", name)
	case files > p.most:
		return refuse("operand", reason.Operand, "program", name, "operand", c.args[len(c.args)-1].items[0].text)
	case files == 0 && !p.program:
		m.paths = append(m.paths, rules.Path{Word: "."})
	}
	out.Paths = m.paths
	return out
}

// option tells whether an option without its slash is taken, and whether it is a
// text to look for.
func (p slashProgram) option(name string) (isText, ok bool) {
	letter, _, valued := strings.Cut(name, ":")
	switch {
	case name == "":
		return false, false
	case valued:
		return true, len(letter) == 1 && strings.Contains(p.texts, letter)
	case len(name) > 1 && !p.bundled:
		return false, false
	case strings.Trim(name, p.letters) == "":
		return false, true
	}
	for one := range strings.FieldsSeq(p.words) {
		if one == name {
			return false, true
		}
	}
	return false, false
}
