package markup

import (
	"strings"
	"testing"
)

// A page that a limit ends is told to be cut; one that ends by itself is not.
func TestCut(t *testing.T) {
	v := View{Attributes: map[string]bool{}, Formatting: Formatting(), Unread: Unread()}
	for name, c := range map[string]struct {
		page string
		cut  bool
	}{
		"whole":        {"<p>All of it.</p>", false},
		"broken off":   {"<p>All of i<", false},
		"full of tags": {strings.Repeat("<p>", maxTags+1), true},
		"as many":      {strings.Repeat("<p>", maxTags), false},
		"long text":    {"<p>" + strings.Repeat("word ", maxTokenBytes/5+1) + "<p>more", true},
	} {
		if doc, cut := v.Parse(c.page); doc == nil || cut != c.cut {
			t.Errorf("%s: cut is %t", name, cut)
		}
	}
}
