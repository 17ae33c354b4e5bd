package gate

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/plugins/sdk/sdktest"
	"strata.dev/bridge/proto/abi"
)

// writing is a helper's call that asks.
func writing(file string) abi.GateCall {
	call := called("write", `{"file_path":`+quoted(file)+`,"content":"hi"}`)
	call.Root, call.Session, call.CallID = "session-1", "helper-2", "call-3"
	return call
}

func TestConfirm(t *testing.T) {
	const (
		no       = "The person said no to this: This would write the file hello.txt. It did not run. Do not try it another way; go on without it or ask the person what they want instead."
		noNote   = "The person said no to this: This would write the file hello.txt. It did not run. Do not try it another way; follow their note, or ask them what they want instead. Their note: “use {reason} b.txt”"
		open     = "The question to the person ended without an answer, so this did not run. That is neither a yes nor a no. Stop here and tell the person what you wanted to do: This would write the file hello.txt."
		notAsked = "The person could not be asked about this, so it did not run. That is neither a yes nor a no. Tell the person what you wanted to do: This would write the file hello.txt."
		changed  = "What the person answered was not the call that would have run, so it did not run. Nothing was changed. Ask again if it is still needed."
	)
	tests := map[string]struct {
		answer abi.AskAnswer // digest "same" stands for the call's own
		want   abi.GateVerdict
	}{
		"a yes":                  {abi.AskAnswer{Outcome: "allowed-once", Digest: "same"}, abi.GateVerdict{Decision: abi.Allow}},
		"a yes without a digest": {abi.AskAnswer{Outcome: "allowed-once"}, abi.GateVerdict{Decision: abi.Allow}},
		"a yes to another call":  {abi.AskAnswer{Outcome: "allowed-once", Digest: "other"}, abi.GateVerdict{Decision: abi.Deny, Message: changed}},
		"a no to another call":   {abi.AskAnswer{Outcome: "rejected", Digest: "other", Note: "x"}, abi.GateVerdict{Decision: abi.Deny, Message: changed}},
		"a no":                   {abi.AskAnswer{Outcome: "rejected", Digest: "same"}, abi.GateVerdict{Decision: abi.Deny, Message: no}},
		"a no with a note":       {abi.AskAnswer{Outcome: "rejected", Digest: "same", Note: "use {reason} b.txt"}, abi.GateVerdict{Decision: abi.Deny, Message: noNote}},
		"cancelled":              {abi.AskAnswer{Outcome: "cancelled"}, abi.GateVerdict{Decision: abi.Deny, Message: open}},
		"unavailable":            {abi.AskAnswer{Outcome: "unavailable"}, abi.GateVerdict{Decision: abi.Deny, Message: notAsked}},
		"a word not known":       {abi.AskAnswer{Outcome: "allowed-always"}, abi.GateVerdict{Decision: abi.Deny, Message: notAsked}},
		"nothing":                {abi.AskAnswer{}, abi.GateVerdict{Decision: abi.Deny, Message: notAsked}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			h, call := newHost(t, abi.GateConfig{}), writing("hello.txt")
			c := h.confirm(call, abi.GateConfig{})
			want := abi.AskRequest{Session: "helper-2", CallID: "call-3", Tool: "write", Reason: "This would write the file hello.txt.", Digest: digest(call)}
			if diff := cmp.Diff(want, h.question(c)); diff != "" {
				t.Error(diff)
			}
			if test.answer.Digest == "same" {
				test.answer.Digest = digest(call)
			}
			test.want.Digest = digest(call)
			got := h.answer(c, test.answer)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if refused, _ := abi.Refused(got.Message); refused != (got.Decision == abi.Deny) {
				t.Errorf("this does not read as a refusal: %q", got.Message)
			}
		})
	}
}

func TestConfirmFailsWhereTheQuestionCannotBePut(t *testing.T) {
	h := newHost(t, abi.GateConfig{})
	c := h.confirm(writing("a"), abi.GateConfig{})
	c.Refuse(c.Effects()[0], abi.CodeRefused, "This host does not offer the effect ask.")
	if diff := cmp.Diff(&abi.EffectError{Code: abi.CodeRefused, Message: "This host does not offer the effect ask."}, c.Err); diff != "" {
		t.Error(diff)
	}
}

func TestConfirmIsForAsksAlone(t *testing.T) {
	for _, decision := range []string{abi.Allow, abi.Deny, ""} {
		d := sdktest.New(t, Plugin, nil)
		c := d.Start("confirm", abi.GateConfirm{Call: called("write", `{}`), Decision: abi.GateDecision{Decision: decision}}, nil)
		if c.Status != sdk.Failed || c.Err.Code != abi.CodeBadInput {
			t.Errorf("%q: %+v", decision, c.Err)
		}
	}
}

func TestConfirmRefusesAnotherCallThanTheOneJudged(t *testing.T) {
	judged, call := called("write", `{"file_path":"a"}`), called("write", `{"file_path":"b"}`)
	h := newHost(t, abi.GateConfig{})
	var got abi.GateVerdict
	if err := h.do("confirm", abi.GateConfirm{Call: call, Decision: Decide(judged, abi.GateConfig{})}, &got); err != nil {
		t.Fatal(err)
	}
	want := abi.GateVerdict{Decision: abi.Deny, Digest: digest(call), Message: reason.Changed}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestOpsTakeJSON(t *testing.T) {
	d := sdktest.New(t, Plugin, abi.GateConfig{Secrets: []string{"/home/u/repo/data"}})
	call := called("read", `{"file_path":"data/x"}`)
	var decision abi.GateDecision
	if err := d.Do("decide", call, &decision); err != nil {
		t.Fatal(err)
	}
	var digest abi.GateDigest
	if err := d.Do("digest", call, &digest); err != nil {
		t.Fatal(err)
	}
	want := abi.GateDecision{
		Decision: abi.Ask, Rule: "tool:path", Reason: "This touches something that may hold secrets: data/x.", Digest: digest.Digest,
		Key: "This touches something that may hold secrets: {path}.", Args: map[string]string{"path": "data/x"},
	}
	if diff := cmp.Diff(want, decision); diff != "" {
		t.Error(diff)
	}
	var facts abi.GateFacts
	if err := d.Do("facts", called("read", `{"file_path":"a"}`), &facts); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(abi.GateFacts{Paths: []string{"/home/u/repo/a", "/home/u/repo"}}, facts); diff != "" {
		t.Error(diff)
	}
	if c := d.Start("decide", json.RawMessage(`[]`), nil); c.Err == nil || c.Err.Code != abi.CodeBadInput {
		t.Errorf("a head of another shape: %+v", c.Err)
	}
}
