package gate

import (
	"strata.dev/bridge/plugins/gate/git"
	"strata.dev/bridge/plugins/gate/place"
	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
)

// Plugin is the approval gate: it decides for every tool call whether it may
// run unasked, must ask, or may not run.
var Plugin = sdk.Plugin{Name: "gate", New: func() sdk.Instance {
	g := &gate{web: webTalks{}}
	return sdk.Instance{
		Init: sdk.CodedConfig(abi.ReadGateConfig, g.configure),
		Ops: sdk.Ops{
			"facts":   sdk.Coded(abi.ReadGateCall, abi.AppendGateFacts, g.facts),
			"decide":  sdk.Coded(abi.ReadGateCall, abi.AppendGateDecision, g.decide),
			"digest":  sdk.Coded(abi.ReadGateCall, abi.AppendGateDigest, g.digest),
			"git":     sdk.OpBody(g.git),
			"confirm": sdk.Op(g.confirm),
			"explain": sdk.Op(g.explain),
			"offer":   sdk.Op(g.offer),

			"remember":    sdk.Op(remember),
			"forget":      sdk.Op(forget),
			"permissions": sdk.Op(g.permissions),
			"mark":        sdk.Op(g.mark),
			"record":      sdk.Op(g.record),
		},
	}
}}

// gate is one instance's state. What must outlive it is in the store.
type gate struct {
	config abi.GateConfig
	noes   noes
	log    decisions
	last   recall
	heap   collector
	web    webTalks
}

func (g *gate) configure(c abi.GateConfig) error {
	g.config, g.noes, g.last, g.heap, g.web = c, noes{}, recall{}, newCollector(), webTalks{}
	return nil
}

// facts names what the shim must look up before decide can judge the call.
func (g *gate) facts(_ *sdk.Task, call abi.GateCall) (abi.GateFacts, error) {
	defer g.heap.ran(len(call.Arguments))
	return facts(call, g.config, g.last.judge), nil
}

func (g *gate) decide(_ *sdk.Task, call abi.GateCall) (abi.GateDecision, error) {
	defer g.heap.ran(len(call.Arguments))
	return decide(call, g.config, g.last.judge), nil
}

func (g *gate) digest(_ *sdk.Task, call abi.GateCall) (abi.GateDigest, error) {
	defer g.heap.ran(len(call.Arguments))
	return abi.GateDigest{Digest: digest(call)}, nil
}

// git says what a repository's settings mean for its reading commands.
func (g *gate) git(_ *sdk.Task, r abi.GitRepository, listing []byte) (abi.GitSettings, []byte, error) {
	settings, err := git.Judge(r, listing)
	return settings, nil, err
}

// permissions lists what is saved.
func (g *gate) permissions(t *sdk.Task, _ struct{}) (abi.GatePermissions, error) {
	all, err := saved(t)
	if all == nil {
		all = []abi.GatePermission{}
	}
	return abi.GatePermissions{Permissions: all}, err
}

// mark says that nobody is there to ask in a chat.
func (g *gate) mark(t *sdk.Task, in abi.GateMark) (struct{}, error) {
	if in.Root == "" {
		return struct{}{}, sdk.Errorf(abi.CodeBadInput, "a mark needs the root session")
	}
	return struct{}{}, mark(t, markUnattended, in.Root)
}

// record writes decisions down that no question was put for.
func (g *gate) record(t *sdk.Task, in abi.GateRecord) (struct{}, error) {
	for i, e := range in.Entries {
		if e.By == "" {
			in.Entries[i].By = decidedBy(e)
		}
	}
	return struct{}{}, g.log.write(t, in.Entries...)
}

// decidedBy names who decided a call that nobody was asked about.
func decidedBy(e abi.GateEntry) string {
	switch {
	case e.Rule == abi.RuleFault:
		return abi.ByFault
	case e.Rule == ruleUnattended, e.Rule == ruleHelpers:
		return abi.ByRule
	case e.Rule == "mode:bypass" || e.Decision == abi.Deny:
		return abi.ByMode
	}
	return abi.ByRule
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
