package gate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
)

// searching is a web call in a chat, by the chat itself or one of its helpers.
func searching(root, session, words string) abi.GateCall {
	call := called("web_search", `{"queries":[`+quoted(words)+`]}`)
	call.Root, call.Session, call.CallID = root, session, "call-"+words
	return call
}

func opening(root, address string) abi.GateCall {
	call := called("web_fetch", `{"url":`+quoted(address)+`}`)
	call.Root, call.Session, call.CallID = root, root, "call-"+address
	return call
}

var (
	yes     = abi.AskAnswer{Outcome: allowedOnce}
	no      = abi.AskAnswer{Outcome: rejected}
	allowed = abi.GateVerdict{Decision: abi.Allow}
)

func refusedWith(message string) abi.GateVerdict {
	return abi.GateVerdict{Decision: abi.Deny, Message: message}
}

func checkVerdict(t *testing.T, got, want abi.GateVerdict) {
	t.Helper()
	got.Digest = ""
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWebIsAskedAboutOncePerChat(t *testing.T) {
	none := abi.GateConfig{}
	h := newHost(t, none)
	first := h.confirm(searching("r", "r", "a"), none)
	if q := h.question(first); q.Share != "web" {
		t.Errorf("the question shares %q", q.Share)
	}
	if offer := offerOf(searching("r", "r", "a"), none, ""); offer.Scope != abi.ScopeChat || offer.Pattern != "*" {
		t.Errorf("the card offers %+v", offer)
	}
	checkVerdict(t, h.answer(first, yes), allowed)
	for _, call := range []abi.GateCall{searching("r", "r", "b"), searching("r", "helper", "c"), opening("r", "https://a.invalid/")} {
		checkVerdict(t, h.verdict(h.confirm(call, none)), allowed)
	}
	h.question(h.confirm(searching("other", "other", "a"), none)) // another chat is asked on its own

	// A fresh instance, after a trap or a restart, neither forgets nor invents a yes.
	h.restart(none)
	checkVerdict(t, h.verdict(h.confirm(searching("r", "helper", "d"), none)), allowed)
	h.question(h.confirm(searching("other", "other", "b"), none))

	want := []string{
		"web_search allow by person tool:web_search allowed-once chat", "web_search allow by permission web:chat", "web_search allow by permission web:chat",
		"web_fetch allow by permission web:chat", "web_search allow by permission web:chat",
	}
	if diff := cmp.Diff(want, h.log()); diff != "" {
		t.Error(diff)
	}
}

func TestANoToTheWeb(t *testing.T) {
	none := abi.GateConfig{}
	h := newHost(t, none)
	checkVerdict(t, h.answer(h.confirm(searching("r", "r", "a"), none), no), refusedWith(reason.NoWeb))
	if !strings.HasPrefix(reason.NoWeb, "The person did not allow web access") || !strings.HasSuffix(reason.NoWeb, "Go on without it and say so.") {
		t.Errorf("the refusal is %q", reason.NoWeb)
	}
	if refused, inMode := abi.Refused(reason.NoWeb); !refused || inMode {
		t.Error("it does not read as a refusal")
	}
	noted := h.answer(h.confirm(searching("r", "r", "a"), none), abi.AskAnswer{Outcome: rejected, Note: "Look into the docs folder."})
	checkVerdict(t, noted, refusedWith("The person did not allow web access for this chat, so it did not run. Their note: “Look into the docs folder.” Go on without it and say so."))
	if _, ok := h.store["web-"]; ok || len(h.log()) != 2 {
		t.Errorf("the store holds %v", h.store)
	}
	h.question(h.confirm(searching("r", "r", "b"), none)) // a no is not remembered for ever
}

func TestTwoWebCallsShareOneCard(t *testing.T) {
	none := abi.GateConfig{}
	lead, follow := searching("r", "r", "a"), searching("r", "helper", "b")
	card := digest(lead)
	for name, test := range map[string]struct {
		lead, follow abi.AskAnswer
		want         [2]abi.GateVerdict
	}{
		"a yes": {
			abi.AskAnswer{Outcome: allowedOnce, Digest: card}, abi.AskAnswer{Outcome: allowedOnce, Digest: card, Card: card},
			[2]abi.GateVerdict{allowed, allowed},
		},
		"a no": {
			abi.AskAnswer{Outcome: rejected, Digest: card}, abi.AskAnswer{Outcome: rejected, Digest: card, Card: card},
			[2]abi.GateVerdict{refusedWith(reason.NoWeb), refusedWith(reason.NoWeb)},
		},
		"a yes to something else": {
			abi.AskAnswer{Outcome: allowedOnce, Digest: "other"}, abi.AskAnswer{Outcome: allowedOnce, Digest: "other", Card: card},
			[2]abi.GateVerdict{refusedWith(reason.Changed), refusedWith(reason.Changed)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, none)
			one, two := h.confirm(lead, none), h.confirm(follow, none)
			checkVerdict(t, h.answer(one, test.lead), test.want[0])
			checkVerdict(t, h.answer(two, test.follow), test.want[1])
		})
	}
	t.Run("a yes to that call alone", func(t *testing.T) {
		h := newHost(t, none)
		one, two := h.confirm(lead, none), h.confirm(follow, none)
		once := abi.AskAnswer{Outcome: allowedOnce, Digest: card, Scope: abi.ScopeOnce}
		checkVerdict(t, h.answer(one, once), allowed)
		once.Card = card
		two.Answer(two.Effects()[0], once, nil)
		h.serve(two)
		if q := h.question(two); q.Digest != digest(follow) {
			t.Errorf("the follower asks about %+v", q)
		}
		checkVerdict(t, h.answer(two, no), refusedWith(reason.NoWeb))
		h.question(h.confirm(searching("r", "r", "c"), none))
	})
	t.Run("a yes that is not in the store yet", func(t *testing.T) {
		h := newHost(t, none)
		one := h.confirm(lead, none)
		two := h.d.Start("confirm", abi.GateConfirm{Call: follow, Decision: Decide(follow, none)}, nil)
		stale := []string{} // what two is told of the store, from before the yes
		checkVerdict(t, h.answer(one, yes), allowed)
		for two.Status == sdk.Waiting && two.Effects()[0].Kind == abi.EffectStoreList {
			two.Answer(two.Effects()[0], abi.StoreNames{Names: stale}, nil)
		}
		h.serve(two)
		checkVerdict(t, h.verdict(two), allowed)
		if len(h.d.Logs()) > 0 {
			t.Error(h.d.Logs())
		}
	})
	t.Run("one that is called off", func(t *testing.T) {
		h := newHost(t, none)
		one, two := h.confirm(lead, none), h.confirm(follow, none)
		one.Cancel()
		checkVerdict(t, h.answer(two, yes), allowed)
	})
}

func TestNobodyIsThere(t *testing.T) {
	// A mark outlives the life of the Harness that the call would know of.
	none := abi.GateConfig{}
	h := newHost(t, none)
	if err := h.do("mark", abi.GateMark{Root: "task"}, nil); err != nil {
		t.Fatal(err)
	}
	h.restart(none)
	checkVerdict(t, h.verdict(h.confirm(searching("task", "helper", "a"), none)), refusedWith(reason.NoWeb))
	h.question(h.confirm(searching("r", "r", "a"), none))
	// What else asks is put to whoever answers for the person; the log says that it was not them.
	write := writing("a")
	write.Root = "task"
	h.answer(h.confirm(write, none), no)
	want := []string{"web_search deny by rule web:unattended", "write deny by nobody tool:write rejected"}
	if diff := cmp.Diff(want, h.log()); diff != "" {
		t.Error(diff)
	}
	if err := h.do("mark", abi.GateMark{}, nil); sdk.Code(err) != abi.CodeBadInput {
		t.Errorf("a mark for no chat: %v", err)
	}
}

// Only so many chats are remembered; the oldest are asked again.
func TestMarksAreBounded(t *testing.T) {
	none := abi.GateConfig{}
	h := newHost(t, none)
	chats := []string{}
	for i := range maxMarks + 2 {
		chats = append(chats, strings.Repeat("x", i+1))
		checkVerdict(t, h.answer(h.confirm(opening(chats[i], "https://a.invalid/"), none), yes), allowed)
	}
	marks := 0
	for name := range h.store {
		if strings.HasPrefix(name, markWeb) {
			marks++
		}
	}
	if marks != maxMarks {
		t.Errorf("%d marks are kept", marks)
	}
	h.question(h.confirm(opening(chats[1], "https://a.invalid/"), none))
	checkVerdict(t, h.verdict(h.confirm(opening(chats[2], "https://a.invalid/"), none)), allowed)
}
