package gate

import (
	"strings"
	"testing"

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
