package fit

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/budget"
)

func TestDecide(t *testing.T) {
	chat := Chat{Tokens: 40_000, Window: 65_536, Fixed: 8000, Source: "measured", Density: 2}
	for _, tt := range []struct {
		name    string
		chat    Chat
		message int
		want    budget.Fit
	}{
		{"it fits", chat, 20_000, budget.Send},
		{"it fits into an empty chat", chat, 30_000, budget.SummariseThen},
		{"the log of 2026-10-22", chat, 66_500, budget.NeverFits},
		{"nobody can count", chat, budget.Uncounted, budget.Send},
		{"no window is known", Chat{Tokens: 40_000}, 66_500, budget.Send},
		{"a new chat", Chat{Window: 65_536}, 61_440, budget.Send},
		{"a new chat, one token more", Chat{Window: 65_536}, 61_441, budget.NeverFits},
	} {
		if got := tt.chat.Decide(tt.message); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestReckon(t *testing.T) {
	text := strings.Repeat("x", 118_000)
	got := []int{
		Chat{Source: "measured", Density: 2.2542}.Reckon(text),
		Chat{Source: "estimated", Density: 1}.Reckon(text),
		Chat{}.Reckon(text),
	}
	if diff := cmp.Diff([]int{66_517, budget.Uncounted, budget.Uncounted}, got); diff != "" {
		t.Errorf("sizes (-want +got):\n%s", diff)
	}
	small, full := Chat{Tokens: 10_000, Window: 65_536}, Chat{Tokens: 60_000, Window: 65_536}
	if !small.Surely("hello", 1) || small.Surely("hello", 40) || full.Surely(text, 0) || small.Surely(strings.Repeat("x", 30_000), 0) || (Chat{}).Surely("hello", 0) {
		t.Error("Surely is sure of the wrong ones")
	}
	if !(Chat{Window: 8192, Fixed: 7800}).Cramped() || (Chat{Window: 8192, Fixed: 7000}).Cramped() || (Chat{Fixed: 1}).Cramped() {
		t.Error("Cramped finds the wrong ones")
	}
	if p := (Chat{Tokens: 58_982, Window: 65_536}).Percent(); p != 90 {
		t.Errorf("%d%%", p)
	}
}

// TestPreview: of every text it keeps both ends, cuts no character, and is no longer
// than a quarter of the window.
func TestPreview(t *testing.T) {
	for name, text := range map[string]string{
		"a log":    strings.Repeat("2026-11-30 ERROR worker: exit code 137\n", 4000),
		"one line": strings.Repeat("x", 150_000),
		"CJK":      strings.Repeat("缓存失效了。", 20_000),
		"emoji":    strings.Repeat("😀", 50_000),
	} {
		for _, c := range []Chat{{Window: 8192}, {Window: 65_536, Density: 4, Source: "measured"}, {}} {
			text := "BEGIN " + text + " END"
			got := Preview(text, c)
			window := c.Window
			if window == 0 {
				window = unknownWindow
			}
			units, most := budget.Units(got), window/2+80
			if c.Density > 0 {
				most = window/4 + 80
			}
			if !utf8.ValidString(got) || !strings.HasPrefix(got, "BEGIN ") || !strings.HasSuffix(got, " END") || units > most || units < most/2 {
				t.Errorf("%s into %d: %d units, at most %d: %.20q … %.20q", name, window, units, most, got, got[max(0, len(got)-20):])
			}
		}
	}
	if got := Preview("short", Chat{Window: 8192}); got != "short" {
		t.Errorf("a short text becomes %q", got)
	}
	got := Attached(strings.Repeat("line\n", 1000), ".strata/attached/a.txt")
	if !strings.Contains(got, "(5000 characters, 1001 lines) as the file .strata/attached/a.txt.") || budget.Units(got) > 2*quoted+400 {
		t.Errorf("attached: %q", got)
	}
}

// TestReadsParts: a long text goes into a file where there is room to read it.
func TestReadsParts(t *testing.T) {
	for _, tt := range []struct {
		chat Chat
		want bool
	}{
		{Chat{}, true},
		{Chat{Window: 8192}, false},
		{Chat{Window: 16_384}, false},
		{Chat{Window: 32_768}, true},
		{Chat{Window: 32_768, Density: 4}, false}, // as its server counted the text
		{Chat{Window: 8192, Fixed: 3000, Source: "measured", Density: 1}, true},
		{Chat{Window: 32_768, Fixed: 28_000, Source: "measured", Density: 4}, false},
	} {
		if got := tt.chat.ReadsParts(); got != tt.want {
			t.Errorf("%+v: %v", tt.chat, got)
		}
	}
}
