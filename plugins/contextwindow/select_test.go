package contextwindow

import (
	"testing"

	"strata.dev/bridge/proto/abi"
)

// TestSelect: under pressure the newest messages stay, in the model's tokens; a person's
// own try and a refused request keep the newest exchange alone.
func TestSelect(t *testing.T) {
	c := newChat(t, 65_536, 19_660, 4000)
	for range 10 {
		c.user(500)
		c.answer(1000, 0)
	}
	c.user(500)
	c.answer(1000, 38_000) // the Harness reckons 19,500
	m := c.measure()
	if m.Density < 1.9 {
		t.Fatalf("%+v", m)
	}
	kept := func(s abi.ContextSelection) (tokens int) {
		t.Helper()
		if s.None || s.Start != c.pieces[0].Seq {
			t.Fatalf("it names %+v", s)
		}
		for _, p := range c.pieces {
			if p.Seq > s.End {
				tokens += p.Tokens
			}
		}
		return tokens
	}
	// 16 % of what the output leaves are 7,340 tokens of the model's, 3,767 of the Harness's.
	if got := kept(c.choose(abi.TriggerPressure)); got < 3767 || got > 3767+1500 {
		t.Errorf("under pressure %d stay", got)
	}
	for _, trigger := range []string{abi.TriggerManual, abi.TriggerOverflow} {
		if got := kept(c.choose(trigger)); got != 1000 {
			t.Errorf("%s: %d stay", trigger, got)
		}
	}
}

// TestSelectNothing: where a summary would free nothing none is made.
func TestSelectNothing(t *testing.T) {
	empty := newChat(t, 65_536, 19_660, 4000)
	one := newChat(t, 65_536, 19_660, 4000)
	one.user(30_000)
	again := newChat(t, 65_536, 19_660, 4000)
	again.add(abi.ContextPiece{Tokens: 5000, Kind: abi.PieceSummary}, 0)
	again.user(10)
	tiny := newChat(t, 65_536, 19_660, 4000)
	tiny.user(50)
	tiny.answer(50, 0)
	tiny.user(50)
	for name, c := range map[string]*chat{"nothing said": empty, "one message that fills the chat": one, "a summary alone": again, "too little": tiny} {
		for _, trigger := range []string{abi.TriggerPressure, abi.TriggerManual, abi.TriggerOverflow} {
			if got := c.choose(trigger); !got.None && (c != again || trigger != abi.TriggerOverflow) { // which still may be too long
				t.Errorf("%s, %s: %+v", name, trigger, got)
			}
		}
	}
}
