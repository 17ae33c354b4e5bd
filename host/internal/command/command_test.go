package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Line{
		"":                               {},
		"hello":                          {},
		"what does /help do?":            {},
		"a\n/help":                       {},
		"/help":                          {Kind: Help, Name: "help"},
		"  /Help \n":                     {Kind: Help, Name: "help"},
		"/plan":                          {Kind: Plan, Name: "plan"},
		"/plan a tidy\nhouse ":           {Kind: Plan, Name: "plan", Rest: "a tidy\nhouse"},
		"/plan\ttabs":                    {Kind: Plan, Name: "plan", Rest: "tabs"},
		"/compact":                       {Kind: Handed, Name: "compact"},
		"/goal edit x":                   {Kind: Goal, Name: "goal", Rest: "edit x"},
		"/strata status":                 {Kind: Handed, Name: "strata", Rest: "status"},
		"/permission danger-full-access": {Kind: Unknown, Name: "permission", Rest: "danger-full-access"},
		"/strata-gate answer {}":         {Kind: Unknown, Name: "strata-gate", Rest: "answer {}"},
		"/etc/hosts is what?":            {Kind: Unknown, Name: "etc/hosts", Rest: "is what?"},
		"/":                              {Kind: Unknown},
		"//x":                            {Kind: Unknown, Name: "/x"},
	} {
		if d := cmp.Diff(want, Parse(text)); d != "" {
			t.Errorf("%q (-want +got):\n%s", text, d)
		}
	}
	if got := Parse("/goal  a b ").String() + Parse("/compact").String(); got != "/goal a b/compact" {
		t.Errorf("handed over as %q", got)
	}
}

// FuzzParse: a line that begins with a slash never becomes the model's text, and
// only the two named commands reach the Harness.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"/help", " /plan x", "/\x00", "hello", "\u00a0/goal"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l := Parse(text)
		if slash := strings.HasPrefix(strings.TrimSpace(text), "/"); slash == (l.Kind == None) {
			t.Errorf("%q is %+v", text, l)
		}
		if l.Kind == Handed && l.Name != "compact" && l.Name != "strata" {
			t.Errorf("%q hands over %q", text, l.Name)
		}
	})
}
