package pwsh

import (
	"fmt"
	"slices"
	"strings"

	"strata.dev/bridge/plugins/gate/rules"
)

// Cmdlet is the accept-list of one command of PowerShell's own. All names are
// exact but for their case: PowerShell takes shortened parameters, this does not.
type Cmdlet struct {
	// Name is the full name; Aliases stand for it everywhere, Windows only
	// there (elsewhere the same word starts a program).
	Name, Aliases, Windows string
	// Parameters lists what is taken, separated by blanks:
	//
	//	-Recurse        a switch
	//	-Depth:num      a parameter with a value of a kind
	//	-Path:path*     the same with one or more values, commas between
	//	-ea=ErrorAction another name for a parameter listed before
	//
	// A kind is path (a place in the file system), literal (the same without
	// file patterns), name (a file's name or a pattern of it), property (a name
	// of one), text, num, word, or words to choose from: A|B, or A alone.
	Parameters string
	// Positions names the parameters that take values without a name, in order.
	Positions string
	// Needs names parameters of which one of each word (a|b) must be there; pipe
	// stands for something piped in.
	Needs string
	// Takes lists what may be piped in, as one of the forms below; "*" is all of
	// them but "format" and "process".
	Takes string
	// Gives is what comes out: text, files, matches, objects, process, info,
	// format; "=" is what came in.
	Gives string
	// Here says that it looks at the current folder when it is given no path.
	Here bool
	// Reads says that it shows what is in its files, so that a pattern must name
	// them in one folder, where they can be looked up.
	Reads bool
	// Deep names a parameter with which everything below a path is looked at.
	Deep string

	// Match and NotMatch are examples, checked when the table is loaded.
	Match, NotMatch []string
}

// common are the parameters that every cmdlet has and that change nothing. The
// others set variables, or stop and ask.
const common = " -ErrorAction:SilentlyContinue|Continue|Stop|Ignore|0 -ea=ErrorAction -Verbose -vb=Verbose -WarningAction:SilentlyContinue|Continue|Stop|Ignore -wa=WarningAction "

// cmdlet is a Cmdlet ready to match.
type cmdlet struct {
	Cmdlet
	parameters map[string]parameter // by lower-case name
	positions  []string             // lower case
	needs      [][]string           // lower case
	deep       string
}

type parameter struct {
	name string // in full, lower case
	kind string // "" is a switch
	list bool
}

// table finds cmdlets by their lower-case names.
type table struct {
	byName  map[string]*cmdlet
	windows map[string]*cmdlet // names that only Windows has
}

// load reads cmdlets and checks them against their own examples.
func load(cmdlets ...Cmdlet) (*table, error) {
	t := &table{byName: map[string]*cmdlet{}, windows: map[string]*cmdlet{}}
	for _, c := range cmdlets {
		compiled, err := compile(c)
		if err != nil {
			return nil, fmt.Errorf("cmdlet %q: %w", c.Name, err)
		}
		for _, name := range strings.Fields(strings.ToLower(c.Name + " " + c.Aliases)) {
			if t.byName[name] != nil {
				return nil, fmt.Errorf("cmdlet %q: name %q is taken", c.Name, name)
			}
			t.byName[name] = compiled
		}
		for _, name := range strings.Fields(strings.ToLower(c.Windows)) {
			if t.byName[name] != nil || t.windows[name] != nil {
				return nil, fmt.Errorf("cmdlet %q: name %q is taken", c.Name, name)
			}
			t.windows[name] = compiled
		}
	}
	for _, c := range cmdlets {
		if err := t.check(c); err != nil {
			return nil, fmt.Errorf("cmdlet %q: %w", c.Name, err)
		}
	}
	return t, nil
}

// check runs a cmdlet's examples, on Windows.
func (t *table) check(c Cmdlet) error {
	if len(c.Match) == 0 || len(c.NotMatch) == 0 {
		return fmt.Errorf("has no examples")
	}
	for _, example := range c.Match {
		parts := t.judge(example, true)
		last := parts[len(parts)-1]
		if !last.Match.OK || last.Match.Program != c.Name {
			return fmt.Errorf("does not take its example %q: %s", example, last.Match.Reason)
		}
	}
	for _, example := range c.NotMatch {
		if !slices.ContainsFunc(t.judge(example, true), func(p Part) bool { return !p.Match.OK }) {
			return fmt.Errorf("takes %q, which it must not", example)
		}
	}
	return nil
}

func compile(c Cmdlet) (*cmdlet, error) {
	out := &cmdlet{Cmdlet: c, parameters: map[string]parameter{}, deep: strings.ToLower(c.Deep)}
	for _, token := range strings.Fields(common + c.Parameters) {
		if err := out.parameter(token); err != nil {
			return nil, fmt.Errorf("parameter %q: %w", token, err)
		}
	}
	out.positions = strings.Fields(strings.ToLower(c.Positions))
	for _, one := range strings.Fields(strings.ToLower(c.Needs)) {
		out.needs = append(out.needs, strings.Split(one, "|"))
	}
	names := append(slices.Concat(out.needs...), out.positions...)
	if out.deep != "" {
		names = append(names, out.deep)
	}
	for _, name := range names {
		if p, ok := out.parameters[name]; name != "pipe" && (!ok || p.name != name) {
			return nil, fmt.Errorf("names a parameter %q that it does not take", name)
		}
	}
	for _, form := range append(strings.Fields(c.Takes), c.Gives) {
		if !slices.Contains(forms, form) {
			return nil, fmt.Errorf("form %q is not known", form)
		}
	}
	return out, nil
}

// forms are what goes through a pipe.
var forms = []string{"*", "=", "text", "files", "matches", "objects", "process", "info", "format"}

func (c *cmdlet) parameter(token string) error {
	name, ok := strings.CutPrefix(strings.ToLower(token), "-")
	if !ok {
		return fmt.Errorf("cannot be read")
	}
	if short, full, alias := strings.Cut(name, "="); alias {
		p, ok := c.parameters[full]
		if !ok || c.parameters[short] != (parameter{}) {
			return fmt.Errorf("is no other name for one")
		}
		c.parameters[short] = p
		return nil
	}
	name, _, _ = strings.Cut(name, ":")
	_, kind, _ := strings.Cut(token, ":")
	kind, list := strings.CutSuffix(kind, "*")
	if kind != "" && kinds[kind] == nil && !strings.Contains(kind, "|") && (kind[0] < 'A' || kind[0] > 'Z') {
		return fmt.Errorf("kind %q is not known", kind)
	}
	if _, twice := c.parameters[name]; twice {
		return fmt.Errorf("is listed twice")
	}
	c.parameters[name] = parameter{name: name, kind: kind, list: list}
	return nil
}

// kinds are the kinds of values beside words to choose from.
var kinds = map[string]func(string) bool{
	"path":    func(s string) bool { return s != "" },
	"literal": func(s string) bool { return s != "" },
	// A pattern with a folder in it could look elsewhere.
	"name":     func(s string) bool { return s != "" && !strings.ContainsAny(s, `/\:`) && !strings.Contains(s, "..") },
	"property": property,
	"text":     func(string) bool { return true },
	"num":      func(s string) bool { return s != "" && len(s) < 8 && strings.Trim(s, "0123456789") == "" },
	"word":     func(s string) bool { return s != "" && rules.Fits("word", s) },
}

// property is a property's name or a pattern of names.
func property(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '*' || r == '-')
	}) < 0
}

// choice tells whether a text is one of the words a|b, whatever its case.
func choice(kind, text string) bool {
	return slices.ContainsFunc(strings.Split(kind, "|"), func(one string) bool { return strings.EqualFold(one, text) })
}
