package turnguard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

var calls int

// call is a call's two cards: it begins, and it ended so.
func call(name, input string, state chat.ToolState, result string) []chat.Frame {
	calls++
	t := chat.Tool{ID: fmt.Sprint("call-", calls), Name: name, Input: input, State: chat.ToolRunning}
	ended := t
	ended.State, ended.Result = state, result
	return []chat.Frame{{Type: chat.AgentTool, Tool: &t}, {Type: chat.AgentTool, Tool: &ended}}
}

func search(state chat.ToolState, result string) []chat.Frame {
	return call(searchTool, fmt.Sprintf(`{"query":"%d"}`, calls), state, result)
}

func bash(input string, state chat.ToolState) []chat.Frame { return call("bash", input, state, "") }

func says(text string) []chat.Frame {
	return []chat.Frame{{Type: chat.Delta, Sentence: chat.Sentence{Text: text}}}
}

// full is a window that is so full; Percent is as a person reads it, rounded.
func full(percent float64) []chat.Frame {
	c := &chat.Context{Tokens: int64(percent * 10), Window: 1000, Percent: int(percent + 0.5)}
	return []chat.Frame{{Type: chat.ContextUse, Context: c}}
}

func times(n int, f func() []chat.Frame) []chat.Frame {
	var out []chat.Frame
	for range n {
		out = append(out, f()...)
	}
	return out
}

func join(parts ...[]chat.Frame) []chat.Frame {
	var out []chat.Frame
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

const written = "Here it is:\n1. look\n2. change\n"

func TestGuard(t *testing.T) {
	fails := func() []chat.Frame { return search(chat.ToolError, "") }
	limits := func() []chat.Frame { return search(chat.ToolDone, limited+" Try again in a minute.") }
	finds := func() []chat.Frame { return search(chat.ToolDone, "1. a page") }
	same := func() []chat.Frame { return bash(`{"command":"make"}`, chat.ToolError) }
	other := func() []chat.Frame { return bash(fmt.Sprintf(`{"command":"make %d"}`, calls), chat.ToolError) }
	again := func() []chat.Frame { return says(written) }
	for _, c := range []struct {
		name   string
		plan   bool
		frames []chat.Frame
		want   string // the key, "" where the turn goes on
	}{
		{"three searches fail", false, times(3, fails), say.GuardSearchFails},
		{"two fail", false, times(2, fails), ""},
		{"every source refuses", false, times(3, limits), say.GuardSearchFails},
		{"one between finds something", false, join(times(2, fails), finds(), times(2, fails)), ""},
		{"another call between is no search", false, join(times(2, fails), bash("{}", chat.ToolDone), fails()), say.GuardSearchFails},
		{"what the person denied has not failed", false, times(5, func() []chat.Frame { return search(chat.ToolDenied, "") }), ""},

		{"as many searches as allowed", false, times(Searches, finds), ""},
		{"one more", false, times(Searches+1, finds), say.GuardSearches},
		{"as many as a plan may have", true, times(PlanSearches, finds), ""},
		{"one more in a plan", true, times(PlanSearches+1, finds), say.GuardSearches},

		{"a plan begun five times", true, times(5, again), say.GuardPlan},
		{"four times", true, times(4, again), ""},
		{"with searches between", true, join(again(), finds(), again(), finds(), again(), finds(), again(), finds(), again()), say.GuardPlan},
		{"in another mode", false, times(9, again), ""},
		{"a list below each of its headings", true, times(9, func() []chat.Frame { return says("## Part\n1. a\n2. b\n") }), ""},
		{"the whole plan anew, heading and all", true, times(5, func() []chat.Frame { return join(says("## Plan\n1. a\n2. b\n"), finds()) }), say.GuardPlan},
		{"indented lists", true, join(again(), times(9, func() []chat.Frame { return says("   1. below\n") })), ""},
		{"in the smallest pieces", true, pieces(strings.Repeat(written, 5)), say.GuardPlan},
		{"1.5 is no list", true, times(9, func() []chat.Frame { return says("1.5 is a number\n") }), ""},
		{"the host's own words", true, times(9, func() []chat.Frame {
			return []chat.Frame{{Type: chat.Delta, Own: true, Sentence: chat.Sentence{Text: written}}}
		}), ""},

		{"full, and it goes on", false, join(full(93), bash("{}", chat.ToolDone)), say.GuardFull},
		{"full at its end", false, join(bash("{}", chat.ToolDone), full(99), says("done")), ""},
		{"nearly full", false, join(full(92.9), bash("{}", chat.ToolDone)), ""},
		{"room was made", false, join(full(95), full(40), bash("{}", chat.ToolDone)), ""},

		{"the same failure four times", false, times(4, same), say.GuardSameFailure},
		{"three times", false, times(3, same), ""},
		{"with others between", false, join(same(), other(), same(), other(), same(), other(), same()), say.GuardSameFailure},
		{"failed and done", false, join(times(3, same), bash(`{"command":"make"}`, chat.ToolDone)), ""},

		{"eight failures and nothing else", false, times(8, other), say.GuardOnlyFailures},
		{"seven", false, times(7, other), ""},
		{"one went well", false, join(bash("{}", chat.ToolDone), times(20, other)), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := New(c.plan)
			got := ""
			for i, f := range c.frames {
				s := g.Frame(f)
				if s == nil {
					continue
				}
				if got = s.Key; i < len(c.frames)-3 {
					t.Errorf("it ended the turn at frame %d of %d", i+1, len(c.frames))
				}
				if s.Text == "" || strings.Contains(s.Text, "{") {
					t.Errorf("it says %q", s.Text)
				}
				break
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func pieces(text string) []chat.Frame {
	var out []chat.Frame
	for _, r := range text {
		out = append(out, says(string(r))...)
	}
	return out[:len(out)-len("look\n2. change\n")+1]
}

// TestOneCallIsCountedOnce: a card comes again with what is known of it by then.
func TestOneCallIsCountedOnce(t *testing.T) {
	g := New(false)
	failed := call("bash", "{}", chat.ToolError, "")[1]
	for range 10 {
		if s := g.Frame(failed); s != nil {
			t.Fatalf("one failed call ended the turn: %s", s.Text)
		}
	}
}
