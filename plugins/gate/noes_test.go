package gate

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/proto/abi"
)

func TestThreeTimesNo(t *testing.T) {
	none := abi.GateConfig{}
	h := newHost(t, none)
	same, other := writing("a.txt"), writing("b.txt")
	deny := func(call abi.GateCall) { h.t.Helper(); h.answer(h.confirm(call, none), no) }
	deny(same)
	deny(same)
	deny(other)
	reordered := same
	reordered.Arguments = []byte(`{"content":"hi", "file_path":"a.txt"}`)
	reordered.CallID, reordered.Session = "another", "session-1"
	deny(reordered) // the same thing in other words, by another agent of the chat
	checkVerdict(t, h.verdict(h.confirm(same, none)), refusedWith(reason.TooOften))
	if refused, _ := abi.Refused(reason.TooOften); !refused {
		t.Error("it does not read as a refusal")
	}
	h.question(h.confirm(other, none))

	elsewhere := same
	elsewhere.Root = "session-9"
	h.question(h.confirm(elsewhere, none))

	again := same
	again.Said = 7 // the person wrote: they may want it now
	deny(again)
	deny(again)
	h.answer(h.confirm(again, none), yes)
	deny(again)
	deny(again)
	h.question(h.confirm(again, none))

	want := []string{}
	for _, outcome := range []string{"rejected", "rejected", "rejected", "rejected"} {
		want = append(want, "write deny by person tool:write "+outcome)
	}
	want = append(want, "write deny by rule gate:noes")
	if diff := cmp.Diff(want, h.log()[:5]); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsNoNoDoesNotCount(t *testing.T) {
	none := abi.GateConfig{}
	h := newHost(t, none)
	for range 2 * maxNoes {
		for _, a := range []abi.AskAnswer{{Outcome: cancelled}, {Outcome: "unavailable"}, {Outcome: rejected, Digest: "other"}} {
			h.answer(h.confirm(writing("a"), none), a)
		}
	}
	h.question(h.confirm(writing("a"), none))
}

func TestThreeTimesNoToTheWeb(t *testing.T) {
	none := abi.GateConfig{}
	h := newHost(t, none)
	for i := range maxNoes {
		h.answer(h.confirm(searching("r", "r", fmt.Sprint(i)), none), no)
	}
	checkVerdict(t, h.verdict(h.confirm(opening("r", "https://a.invalid/"), none)), refusedWith(reason.NoWeb))
}

func TestNoesAreBounded(t *testing.T) {
	n := noes{}
	for i := range 3 * maxNoChats {
		call := abi.GateCall{Root: fmt.Sprint(i)}
		for j := range 3 {
			n.answered(call, fmt.Sprint(j), false)
		}
	}
	call := abi.GateCall{Root: "r"}
	for i := range 3 * maxNoThings {
		n.answered(call, fmt.Sprint(i), false)
	}
	if len(n) > maxNoChats || len(n["r"].things) > maxNoThings {
		t.Errorf("%d chats, %d things", len(n), len(n["r"].things))
	}
}
