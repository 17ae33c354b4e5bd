package project

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestRetry drives one step's text through failed tries: every element of tries is
// a try's pieces, all but the last fail.
func TestRetry(t *testing.T) {
	for _, tt := range []struct {
		name  string
		tries [][]string
		whole string
		want  []string // shown; "|" stands before a new beginning
	}{
		{"no failure", [][]string{{"a", "b"}}, "ab", []string{"a", "b"}},
		{"chunks were missed", [][]string{{"a"}}, "abc", []string{"a", "bc"}},
		{"no chunks at all", [][]string{{}}, "abc", []string{"abc"}},
		{"same text again", [][]string{{"half ", "an "}, {"ha", "lf an ", "answer"}}, "half an answer", []string{"half ", "an ", "answer"}},
		{"the same twice", [][]string{{"a "}, {"a "}, {"a ", "b"}}, "a b", []string{"a ", "b"}},
		{"each gets further", [][]string{{"a"}, {"ab"}, {"abc"}}, "abc", []string{"a", "b", "c"}},
		{"another text", [][]string{{"half "}, {"no ", "way"}}, "no way", []string{"half ", "|\n\nno ", "way"}},
		{"another text later", [][]string{{"half an "}, {"half ", "of it"}}, "half of it", []string{"half an ", "|\n\nhalf of it"}},
		{"ends earlier", [][]string{{"half an "}, {"half"}}, "half", []string{"half an ", "|\n\nhalf"}},
		{"no text any more", [][]string{{"half an "}, {}}, "", []string{"half an "}},
		{"message differs from the chunks", [][]string{{"abc"}}, "xyz", []string{"abc"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c channel
			var got []string
			add := func(show string, again bool) {
				if again {
					show = "|" + show
				}
				if show != "" {
					got = append(got, show)
				}
			}
			c.enter()
			for i, pieces := range tt.tries {
				if i > 0 {
					c.retry()
				}
				for _, p := range pieces {
					add(c.push(p))
				}
			}
			add(c.finish(tt.whole))
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestNothingLostNothingTwice: whatever tries fail, the final text stands at the end
// of what is shown, and once unless it went another way.
func TestNothingLostNothingTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.StringMatching(`[ab]{0,12}`).Draw(t, "whole")
		var c channel
		c.enter()
		var shown string
		begins := 1
		take := func(show string, again bool) {
			shown += show
			if again {
				begins++
			}
		}
		pieces := func(s string) {
			for len(s) > 0 {
				n := rapid.IntRange(1, len(s)).Draw(t, "n")
				take(c.push(s[:n]))
				s = s[n:]
			}
		}
		same := true
		for range rapid.IntRange(0, 3).Draw(t, "failures") {
			part := rapid.StringMatching(`[ab]{0,12}`).Draw(t, "part")
			same = same && strings.HasPrefix(whole, part)
			pieces(part)
			c.retry()
		}
		pieces(whole[:rapid.IntRange(0, len(whole)).Draw(t, "seen")])
		take(c.finish(whole))
		if whole != "" && !strings.HasSuffix(shown, whole) {
			t.Fatalf("shown %q does not end in %q", shown, whole)
		}
		if same && shown != whole {
			t.Fatalf("shown %q, want %q once", shown, whole)
		}
		if same && begins != 1 {
			t.Fatalf("began %d times", begins)
		}
	})
}

func TestParagraphs(t *testing.T) {
	var c channel
	var got []string
	step := func(s string) {
		c.enter()
		show, _ := c.push(s)
		got = append(got, show)
	}
	step("one")
	step("two") // nothing stood between
	c.close()   // a card
	step("three")
	if d := cmp.Diff([]string{"one", "\n\ntwo", "three"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
