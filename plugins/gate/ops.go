package gate

import (
	"strata.dev/bridge/plugins/gate/git"
	"strata.dev/bridge/plugins/gate/place"
	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
)

// Plugin is the approval gate: it decides for every tool call whether it may
// run unasked, must ask, or may not run.
var Plugin = sdk.Plugin{Name: "gate", New: func() sdk.Instance {
	g := &gate{}
	return sdk.Instance{
		Init: sdk.Config(g.configure),
		Ops: sdk.Ops{
			"facts":   sdk.Op(g.facts),
			"decide":  sdk.Op(g.decide),
			"digest":  sdk.Op(g.digest),
			"git":     sdk.OpBody(g.git),
			"confirm": sdk.Op(g.confirm),
		},
	}
}}

// gate is one instance's state.
type gate struct {
	config abi.GateConfig
}

func (g *gate) configure(c abi.GateConfig) error {
	g.config = c
	return nil
}

// facts names what the shim must look up before decide can judge the call.
func (g *gate) facts(_ *sdk.Task, call abi.GateCall) (abi.GateFacts, error) {
	return Facts(call, g.config), nil
}

func (g *gate) decide(_ *sdk.Task, call abi.GateCall) (abi.GateDecision, error) {
	return Decide(call, g.config), nil
}

func (g *gate) digest(_ *sdk.Task, call abi.GateCall) (abi.GateDigest, error) {
	return abi.GateDigest{Digest: digest(call)}, nil
}

// git says what a repository's settings mean for its reading commands.
func (g *gate) git(_ *sdk.Task, r abi.GitRepository, listing []byte) (abi.GitSettings, []byte, error) {
	settings, err := git.Judge(r, listing)
	return settings, nil, err
}

// confirm turns an ask into a yes or a no by asking the person.
func (g *gate) confirm(t *sdk.Task, in abi.GateConfirm) (abi.GateVerdict, error) {
	call, want := in.Call, digest(in.Call)
	if in.Decision.Decision != abi.Ask {
		return abi.GateVerdict{}, sdk.Errorf(abi.CodeBadInput, "only a call that asks can be confirmed")
	}
	if shown := in.Decision.Digest; shown != "" && shown != want {
		return abi.GateVerdict{Decision: abi.Deny, Digest: want, Message: reason.Changed}, nil
	}
	answer, err := sdk.Ask(t, abi.AskRequest{
		Session: call.Session, CallID: call.CallID, Tool: call.Tool,
		Reason: in.Decision.Reason, Digest: want,
	})
	if err != nil {
		return abi.GateVerdict{}, err
	}
	return verdict(answer, in.Decision.Reason, want), nil
}

// verdict is what an answer means. A yes for another digest is no yes.
func verdict(answer abi.AskAnswer, why, digest string) abi.GateVerdict {
	no := func(key string) abi.GateVerdict {
		return abi.GateVerdict{Decision: abi.Deny, Digest: digest, Message: reason.Long(key, "reason", why, "note", answer.Note)}
	}
	switch {
	case answer.Digest != "" && answer.Digest != digest:
		return no(reason.Changed)
	case answer.Outcome == "allowed-once":
		return abi.GateVerdict{Decision: abi.Allow, Digest: digest}
	case answer.Outcome == "rejected" && answer.Note != "":
		return no(reason.SaidNoNote)
	case answer.Outcome == "rejected":
		return no(reason.SaidNo)
	case answer.Outcome == "cancelled":
		return no(reason.NoAnswer)
	}
	return no(reason.NotAsked)
}

func digest(call abi.GateCall) string {
	return abi.Digest(call.Root, call.Session, call.CallID, call.Tool, call.Arguments)
}

func placeOf(call abi.GateCall, config abi.GateConfig) place.Place {
	return place.Place{
		Windows: call.Platform == "win32", CWD: call.CWD, Workspace: call.Workspace,
		Secrets: config.Secrets, Real: call.RealPaths,
	}
}
