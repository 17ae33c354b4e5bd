package contextwindow

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/plugins/sdk/sdktest"
	"strata.dev/bridge/proto/abi"
)

// TestMeasure: the example of context.md §3. 12,000 tokens were counted at a price of
// 6,000; then a log comes that the Harness prices at 29,500.
func TestMeasure(t *testing.T) {
	c := newChat(t, 65_536, 19_660, 4000)
	if got := c.measure(); got.Tokens != 4000 || got.Source != abi.Estimated || got.Compact {
		t.Errorf("before the first answer: %+v", got)
	}
	c.user(2000)
	c.answer(0, 12_000)
	c.add(abi.ContextPiece{Tokens: 29_500}, 0)
	want := abi.ContextMeasured{
		Cursor: c.seq, Tokens: 71_000, Window: 65_536, Source: abi.Measured, Density: 2, Fixed: 8000, Compact: true,
	}
	if diff := cmp.Diff(want, c.measure()); diff != "" {
		t.Errorf("after the log (-want +got):\n%s", diff)
	}
	c.replace(2, 3, 10)
	if got := c.measure(); got.Tokens != 67_020 || got.Source != abi.Measured {
		t.Errorf("after a compaction: %+v", got)
	}
	c.feed(abi.ContextEvent{Kind: abi.ContextHeader, Route: "p/other", System: 15_984}, abi.ContextEvent{Kind: abi.ContextWindow, Window: 1_000_000})
	if got := c.measure(); got.Source != abi.Estimated || got.Window != 1_000_000 || got.Compact {
		t.Errorf("with another model: %+v", got)
	}
}

// TestAnInstanceThatWasNotFedIsStale, and says from where it must be fed.
func TestAnInstanceThatWasNotFedIsStale(t *testing.T) {
	c := newChat(t, 65_536, 19_660, 4000)
	c.user(100)
	c.answer(100, 9000)
	good := c.measure()
	for name, in := range map[string]abi.ContextMeasure{
		"a session that it never saw": {Session: "other", Cursor: 3},
		"events that it missed":       {Session: "s", Cursor: 9},
		"messages that it missed":     {Session: "s", Cursor: c.seq, Surface: 201},
	} {
		var got abi.ContextMeasured
		if err := c.d.Do("measure", in, &got); err != nil || !got.Stale || got.Tokens != 0 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	var got abi.ContextObserved
	if err := c.d.Do("observe", abi.ContextObserve{Session: "s", Cursor: 2, Events: []abi.ContextEvent{{Seq: 2, Kind: abi.ContextOther}}}, &got); err != nil || !got.Stale {
		t.Errorf("a hole in what it is fed: %+v, %v", got, err)
	}
	all := []abi.ContextEvent{
		{Seq: 0, Kind: abi.ContextHeader, Route: "p/m", System: 15_984, Output: 19_660}, {Seq: 1, Kind: abi.ContextWindow, Window: 65_536},
		{Seq: 2, Kind: abi.ContextNode, Tokens: 100}, {Seq: 3, Kind: abi.ContextNode, Tokens: 100, Prompt: 9000},
	}
	fresh := sdktest.New(t, Plugin, nil)
	for i := range all { // in chunks, as the shim replays
		if err := fresh.Do("observe", abi.ContextObserve{Session: "s", Cursor: int64(i), Events: all[i : i+1]}, nil); err != nil {
			t.Fatal(err)
		}
	}
	var again abi.ContextMeasured
	if err := fresh.Do("measure", abi.ContextMeasure{Session: "s", Cursor: 4, Surface: 200}, &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(good, again); diff != "" {
		t.Errorf("after the replay (-before +after):\n%s", diff)
	}
}

// TestManySessions: the one that was asked about longest ago goes, and nothing else.
func TestManySessions(t *testing.T) {
	d := sdktest.New(t, Plugin, nil)
	ask := func(id string, cursor int64) bool {
		var got abi.ContextMeasured
		if err := d.Do("measure", abi.ContextMeasure{Session: id, Cursor: cursor}, &got); err != nil {
			t.Fatal(err)
		}
		return !got.Stale
	}
	name := func(i int) string { return "s" + string(rune('a'+i)) }
	for i := range maxSessions + 1 {
		in := abi.ContextObserve{Session: name(i), Events: []abi.ContextEvent{{Kind: abi.ContextNode, Tokens: 1}}}
		if err := d.Do("observe", in, nil); err != nil {
			t.Fatal(err)
		}
		if !ask(name(0), 1) {
			t.Fatalf("the one in use went at %d", i)
		}
	}
	if ask(name(1), 1) || !ask(name(2), 1) || !ask(name(maxSessions), 1) {
		t.Error("another one than the oldest went")
	}
	if err := d.Do("observe", abi.ContextObserve{Session: name(2), Close: true}, nil); err != nil || ask(name(2), 1) {
		t.Errorf("one that was closed is kept: %v", err)
	}
}

// TestCap: what the adapter asks for is raised to half of the window and kept within
// what the prompt leaves.
func TestCap(t *testing.T) {
	ask := func(c *chat, in abi.ContextCap) int {
		t.Helper()
		in.Session, in.Cursor, in.Route = c.id, c.seq, "p/m"
		var got abi.ContextCapped
		if err := c.d.Do("cap", in, &got); err != nil {
			t.Fatal(err)
		}
		return got.MaxTokens
	}
	c := newChat(t, 65_536, 19_660, 4000)
	c.user(1000)
	c.answer(1000, 10_000)
	for _, tt := range []struct {
		in   abi.ContextCap
		want int
	}{
		{abi.ContextCap{Asked: 19_660}, 32_768},
		{abi.ContextCap{}, 32_768},
		{abi.ContextCap{Asked: 1000, Own: true}, 1000},
		{abi.ContextCap{Asked: 8192, Most: 8192}, 8192},
	} {
		if got := ask(c, tt.in); got != tt.want {
			t.Errorf("%+v: %d, want %d", tt.in, got, tt.want)
		}
	}
	c.user(20_000) // 52,000 tokens now
	if got := ask(c, abi.ContextCap{Asked: 19_660}); got != 65_536-52_000-4096 {
		t.Errorf("in a chat that is nearly full: %d", got)
	}
	if got := c.refused("INVALID_REQUEST", 400, "400: max_tokens is too large: 32768. This model supports at most 8192 completion tokens"); !got.Cap || got.Overflow {
		t.Errorf("a reply that is too long for the route: %+v", got)
	}
	if got := ask(c, abi.ContextCap{Asked: 8192}); got != 8192 {
		t.Errorf("on a route that takes no longer reply: %d", got)
	}
	if got := ask(newChat(t, 0, 0, 100), abi.ContextCap{Asked: 5}); got != 0 {
		t.Errorf("without a window: %d", got)
	}
	small := newChat(t, 8192, 2048, 7900)
	if got := ask(small, abi.ContextCap{Asked: 2048}); got != 512 {
		t.Errorf("where the room is only reckoned: %d", got)
	}
}

// TestFixed: dense messages do not make the instructions long.
func TestFixed(t *testing.T) {
	chinese := func(c *chat, prompt int) { // 1 token a character, and instructions of 4
		c.user(1750)
		if prompt > 0 {
			c.answer(10, prompt)
		}
	}
	for name, tt := range map[string]struct {
		said  func(c *chat)
		fixed int
		stuck string
	}{
		"nothing yet":          {func(*chat) {}, 7000, ""},
		"one message":          {func(c *chat) { chinese(c, 14_000) }, 11_200, ""},
		"a short one and long": {func(c *chat) { c.user(20); c.answer(10, 7100); chinese(c, 14_200) }, 7100, ""},
		"long ones refused": {func(c *chat) {
			c.user(5000)
			c.refused("CONTEXT_WINDOW_EXCEEDED", 0, "400: your messages resulted in 27000 tokens")
		}, 7000, ""},
		"a short one refused": {func(c *chat) {
			c.user(100)
			c.refused("CONTEXT_WINDOW_EXCEEDED", 0, "400: your messages resulted in 28000 tokens")
		}, 27_606, abi.SaidFixed},
		"other instructions since": {func(c *chat) {
			c.user(20)
			c.answer(10, 7100)
			c.feed(abi.ContextEvent{Kind: abi.ContextHeader, Route: "p/m", System: 20_000})
		}, 5062, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := newChat(t, 16_384, 2048, 7000)
			tt.said(c)
			if got := c.measure(); got.Fixed != tt.fixed || got.Stuck != tt.stuck {
				t.Errorf("%d tokens, %q", got.Fixed, got.Stuck)
			}
		})
	}
}
