package gate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/abi"
)

func TestExplain(t *testing.T) {
	call := running("r", "cat docs/x && git log --output=y | rm -rf z; ls > out")
	call.RealPaths = map[string]string{"/home/u/repo": "/home/u/repo", "/home/u/repo/docs/x": "/home/u/repo/d/x"}
	got := Explain(call, abi.GateConfig{})
	got.Digest = ""
	unproven := func(part int, rule, key, text string, args map[string]string) abi.GateUnproven {
		return abi.GateUnproven{Part: part, Rule: rule, GateSentence: abi.GateSentence{Reason: text, Key: key, Args: args}}
	}
	const option = "This runs {program} with an option that is not known to be harmless: {option}."
	optionArgs := map[string]string{"program": "git log", "option": "--output=y"}
	want := abi.GateExplanation{
		GateDecision: abi.GateDecision{
			Decision: abi.Ask, Rule: "bash:option", Reason: "This runs git log with an option that is not known to be harmless: --output=y.", Key: option, Args: optionArgs,
			Parts: []abi.GatePart{
				{Text: "cat docs/x", Decision: abi.Allow, Rule: "bash:cat"},
				{Text: "git log --output=y", Decision: abi.Ask, Rule: "bash:option", Reason: "This runs git log with an option that is not known to be harmless: --output=y."},
				{Text: "rm -rf z", Decision: abi.Ask, Rule: "bash:program", Reason: "This runs a program that can change things: rm."},
				{Text: "ls > out", Decision: abi.Ask, Rule: "bash:redirect", Reason: "This would write the file out."},
			},
		},
		Mode:   abi.Manual,
		Looked: []abi.GatePath{{Path: "/home/u/repo", Real: "/home/u/repo"}, {Path: "/home/u/repo/docs/x", Real: "/home/u/repo/d/x"}},
		NotProven: []abi.GateUnproven{
			unproven(1, "bash:option", option, "This runs git log with an option that is not known to be harmless: --output=y.", optionArgs),
			unproven(2, "bash:program", "This runs a program that can change things: {program}.", "This runs a program that can change things: rm.", map[string]string{"program": "rm"}),
			unproven(3, "bash:redirect", "This would write the file {file}.", "This would write the file out.", map[string]string{"file": "out"}),
		},
		Offer: abi.GateOffer{Scopes: []string{}, Scope: abi.ScopeOnce, GateSentence: abi.GateSentence{
			Reason: "This cannot be allowed in advance: This would write the file out.", Key: "This cannot be allowed in advance: {reason}",
			Args: map[string]string{"reason": "This would write the file out."},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestExplainNamesWhatCoversACall(t *testing.T) {
	none := abi.GateConfig{}
	h := newHost(t, none)
	var before, after abi.GateExplanation
	call := running("r", "npm test && make")
	if err := h.do("explain", call, &before); err != nil {
		t.Fatal(err)
	}
	want := abi.GateOffer{Scopes: []string{abi.ScopeChat, abi.ScopeAlways}, Scope: abi.ScopeOnce, Pattern: "npm test\nmake"}
	if diff := cmp.Diff(want, before.Offer); diff != "" || before.Permissions != nil {
		t.Errorf("%v: %s", before.Permissions, diff)
	}
	h.answer(h.confirm(call, none), yesFor(abi.ScopeChat, before.Offer.Pattern))
	if err := h.do("explain", call, &after); err != nil {
		t.Fatal(err)
	}
	if len(after.Permissions) != 2 || after.Permissions[0].Pattern != "npm test" || after.Permissions[1].Pattern != "make" {
		t.Errorf("covered by %+v", after.Permissions)
	}
}

// Explain says the same as decide, and why, in every mode.
func TestExplainAgreesWithDecide(t *testing.T) {
	for _, call := range goldenCalls(t) {
		e := Explain(call, abi.GateConfig{})
		if diff := cmp.Diff(Decide(call, abi.GateConfig{}), e.GateDecision); diff != "" {
			t.Fatal(diff)
		}
		if e.Mode != abi.Bypass && (e.Decision == abi.Allow) != (len(e.NotProven) == 0) {
			t.Errorf("%s %s in %s: %s, not proven: %v", call.Tool, call.Arguments, e.Mode, e.Decision, e.NotProven)
		}
		if (len(e.Offer.Scopes) == 0) != (e.Offer.Key != "") || len(e.Offer.Scopes) > 0 && e.Decision != abi.Ask {
			t.Errorf("%s %s: %s, offers %+v", call.Tool, call.Arguments, e.Decision, e.Offer)
		}
	}
}

func TestOffer(t *testing.T) {
	h := newHost(t, abi.GateConfig{})
	for pattern, want := range map[string]abi.GateOffer{
		"":          {Scopes: []string{abi.ScopeChat, abi.ScopeAlways}, Scope: abi.ScopeOnce, Pattern: "npm run lint"},
		"npm run *": {Scopes: []string{abi.ScopeChat, abi.ScopeAlways}, Scope: abi.ScopeOnce, Pattern: "npm run *"},
		"npm **":    {Scopes: []string{abi.ScopeChat, abi.ScopeAlways}, Scope: abi.ScopeOnce, Pattern: "npm **"},
		"sudo *": {Scopes: []string{}, Scope: abi.ScopeOnce, GateSentence: abi.GateSentence{
			Reason: "This pattern leaves open what would run: sudo *.", Key: "This pattern leaves open what would run: {pattern}.", Args: map[string]string{"pattern": "sudo *"},
		}},
		"npm test": {Scopes: []string{}, Scope: abi.ScopeOnce, GateSentence: abi.GateSentence{
			Reason: "This pattern does not cover what is asked: npm test.", Key: "This pattern does not cover what is asked: {pattern}.", Args: map[string]string{"pattern": "npm test"},
		}},
	} {
		var got abi.GateOffer
		if err := h.do("offer", abi.GateOfferRequest{Call: running("r", "npm run lint"), Pattern: pattern}, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", pattern, diff)
		}
	}
}

// A yes to a PowerShell command reaches as far as one to a bash command, and a
// session of the other shell is asked anew.
func TestPowerShellIsSaved(t *testing.T) {
	h := newHost(t, abi.GateConfig{})
	call := running("r", "npm run lint 'a, b'; ls")
	call.Tool = "powershell"
	var got abi.GateOffer
	if err := h.do("offer", abi.GateOfferRequest{Call: call}, &got); err != nil {
		t.Fatal(err)
	}
	want := abi.GateOffer{Scopes: []string{abi.ScopeChat, abi.ScopeAlways}, Scope: abi.ScopeOnce, Pattern: "npm run lint 'a, b'"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	if err := h.do("remember", abi.GateRemember{Tool: "powershell", Pattern: "npm run *\nnpm run lint *", Scope: abi.ScopeAlways, Folder: call.Workspace}, &abi.GatePermissions{}); err != nil {
		t.Fatal(err)
	}
	checkVerdict(t, h.verdict(h.confirm(call, abi.GateConfig{})), allowed)
	bash := running("r", "npm run lint")
	if q := h.question(h.confirm(bash, abi.GateConfig{})); q.CallID != bash.CallID {
		t.Errorf("bash asks %+v", q)
	}
}
