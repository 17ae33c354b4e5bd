package pwsh

import (
	"slices"
	"strings"

	"strata.dev/bridge/plugins/gate/place"
)

// aims is the pattern, or the text to compare with, by which a command picks files
// with secrets among others; "" when it has none. All there are may be looked
// through; what is aimed at secrets asks.
func (m *matcher) aims() string {
	for _, name := range []string{"filter", "include"} {
		if text := m.aimed(name, place.PatternFitsSecret); text != "" {
			return text
		}
	}
	if _, deep := m.bound["recurse"]; deep { // else the names that it picks are looked up
		if text := m.aimed("path", func(s string) bool { return strings.ContainsAny(s, "*?[") && place.PatternFitsSecret(s) }); text != "" {
			return text
		}
	}
	if m.Name == "Where-Object" {
		return m.compared()
	}
	return ""
}

// aimed is the first value of a parameter that fits; those that pick all do not.
func (m *matcher) aimed(parameter string, fits func(string) bool) string {
	for _, w := range m.bound[parameter].items {
		if text := strings.ReplaceAll(w.text, `\`, "/"); text != "*" && text != "*.*" && fits(text) {
			return w.text
		}
	}
	return ""
}

var (
	// noNames are properties of a file that say nothing of its name.
	noNames = strings.Fields("length lastwritetime lastwritetimeutc creationtime creationtimeutc lastaccesstime lastaccesstimeutc psiscontainer isreadonly attributes")
	// leaveOut are Where-Object's ways to compare that leave files out.
	leaveOut = strings.Fields("ne cne notlike cnotlike notmatch cnotmatch notcontains notin")
)

// compared is what Where-Object compares with, if secrets may be what is left.
func (m *matcher) compared() string {
	property, value := m.bound["property"].items, m.bound["value"].items
	if len(value) == 0 || len(property) == 1 && slices.Contains(noNames, strings.ToLower(property[0].text)) || slices.ContainsFunc(leaveOut, m.given) {
		return ""
	}
	fits := func(string) bool { return true } // regular expressions, orders, lists
	if slices.ContainsFunc([]string{"eq", "ceq", "like", "clike"}, m.given) {
		before := ""
		if len(property) == 1 && strings.EqualFold(property[0].text, "extension") {
			before = "*"
		}
		fits = func(s string) bool { return place.PatternFitsSecret(before + s) }
	}
	return m.aimed("value", fits)
}
