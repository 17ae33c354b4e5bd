package gate

import (
	"strings"
	"testing"

	"strata.dev/bridge/plugins/gate/bash"
	"strata.dev/bridge/proto/abi"
)

func seeds(f *testing.F) {
	for _, r := range corpus(f) {
		if r.Shell == "bash" {
			f.Add(r.Command)
		}
	}
}

// Whatever a model writes, the gate answers, with a rule and with a reason where
// it asks.
func FuzzDecide(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src string) {
		d := Decide(commanded(src), abi.GateConfig{})
		if d.Rule == "" || (d.Decision == abi.Ask) != (d.Reason != "") {
			t.Errorf("%q: %+v", src, d)
		}
		Facts(commanded(src), abi.GateConfig{})
	})
}

// Adding a part never turns an ask into an allow.
func FuzzMorePartsNeverAllow(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src string) {
		switch d := Decide(commanded(src), abi.GateConfig{}); {
		case d.Decision == abi.Allow:
			return
		case d.Rule == "bash:syntax", d.Rule == "bash:empty": // no command yet: a part may make it one
			return
		}
		for _, more := range []string{"ls; ", "ls | ", "ls && ", "ls\n"} {
			if d := Decide(commanded(more+src), abi.GateConfig{}); d.Decision == abi.Allow && !onlyMissingInput(src) {
				t.Errorf("%q asks, %q does not: %s", src, more+src, d.Rule)
			}
		}
		if strings.HasSuffix(src, `\`) { // it would take the operator for itself
			return
		}
		for _, more := range []string{"; ls", " | cat", " && ls", "\nls"} {
			if d := Decide(commanded(src+more), abi.GateConfig{}); d.Decision == abi.Allow {
				t.Errorf("%q asks, %q does not: %s", src, src+more, d.Rule)
			}
		}
	})
}

// onlyMissingInput tells whether a command asks only because nothing is piped
// into it: a part in front may give it that.
func onlyMissingInput(src string) bool {
	d := Decide(commanded(src), abi.GateConfig{})
	asks := 0
	for i, p := range d.Parts {
		if p.Decision == abi.Ask && (i > 0 || p.Rule != "bash:operand") {
			asks++
		}
	}
	return asks == 0
}

// Quoting the words of a command differently never turns an ask into an allow.
func FuzzQuotingNeverAllows(f *testing.F) {
	for _, r := range corpus(f) {
		if r.Shell == "bash" {
			f.Add(r.Command, uint64(len(r.Command)))
			f.Add(r.Command, uint64(0x9e3779b97f4a7c15)>>(len(r.Command)%32))
		}
	}
	f.Fuzz(func(t *testing.T, src string, how uint64) {
		again, ok := quotedAnew(src, how)
		if !ok {
			return
		}
		plain, quoted := Decide(commanded(src), abi.GateConfig{}), Decide(commanded(again), abi.GateConfig{})
		if plain.Decision != abi.Allow && quoted.Decision == abi.Allow {
			t.Errorf("%q asks (%s), %q does not: %s", src, plain.Rule, again, quoted.Rule)
		}
	})
}

// quotedAnew writes a command's words again, each quoted in one of the ways that
// how says. Words that quotes would change the meaning of are left out, and
// commands that are more than words.
func quotedAnew(src string, how uint64) (string, bool) {
	commands, problem := bash.Parse(src)
	if !problem.None() {
		return "", false
	}
	var out strings.Builder
	for i, c := range commands {
		switch {
		case !c.Problem.None() || c.Reads != nil:
			return "", false
		case i > 0 && c.Piped:
			out.WriteString(" | ")
		case i > 0:
			out.WriteString("\n")
		}
		for j, w := range c.Words {
			if w.Glob || strings.ContainsAny(w.Text, "\n!") {
				return "", false
			}
			if j > 0 {
				out.WriteString(" ")
			}
			out.WriteString(quotedAs(w.Text, how%5))
			how = how>>3 | how<<61
		}
	}
	return out.String(), true
}

// quotedAs writes a word in one of five ways.
func quotedAs(word string, way uint64) string {
	single := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	double := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(s) + `"`
	}
	plain := word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+%@") == ""
	half := len(word) / 2
	for half > 0 && half < len(word) && word[half]&0xC0 == 0x80 {
		half--
	}
	switch {
	case way == 0 && plain:
		return word
	case way == 1:
		return double(word)
	case way == 2:
		return single(word[:half]) + double(word[half:])
	case way == 3 && plain:
		return word[:half] + `""` + single(word[half:])
	}
	return single(word)
}
