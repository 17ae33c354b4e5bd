package gate

import (
	"slices"

	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
)

// Explain says how a call is decided and all that went into it.
func Explain(call abi.GateCall, config abi.GateConfig) abi.GateExplanation {
	out := abi.GateExplanation{GateDecision: Decide(call, config), Mode: modeOf(call)}
	where := placeOf(call, config)
	part := -1
	for _, f := range judge(call, config) {
		if f.text != "" {
			part++
		}
		looked := f.paths
		if f.here {
			looked = slices.Insert(slices.Clone(looked), 0, path{Word: "."})
		}
		for _, p := range looked {
			abs := f.at(&where).Abs(p.Word)
			out.Looked = append(out.Looked, abi.GatePath{Path: abs, Real: call.RealPaths[abs], Deep: p.Deep})
		}
		if rule, why := f.judged(&where, &call, out.Mode); !why.None() {
			out.NotProven = append(out.NotProven, abi.GateUnproven{Part: part, Rule: rule, GateSentence: sentence(why)})
		}
	}
	out.Offer = offerIn(call, config, "")
	return out
}

// offerIn is offerOf where a person is asked at all.
func offerIn(call abi.GateCall, config abi.GateConfig, pattern string) abi.GateOffer {
	if modeOf(call) != abi.Manual {
		return abi.GateOffer{Scopes: []string{}, Scope: abi.ScopeOnce, GateSentence: sentence(reason.Of(reason.NothingToSave))}
	}
	return offerOf(call, config, pattern)
}

// explain is Explain with the permissions that cover the call now.
func (g *gate) explain(t *sdk.Task, call abi.GateCall) (abi.GateExplanation, error) {
	out := Explain(call, g.config)
	var err error
	if out.Decision == abi.Ask {
		out.Permissions, err = g.covering(t, call)
	}
	return out, err
}

// offer says what can be saved with a yes to a call.
func (g *gate) offer(_ *sdk.Task, in abi.GateOfferRequest) (abi.GateOffer, error) {
	return offerIn(in.Call, g.config, in.Pattern), nil
}
