package gate

import (
	"cmp"
	"strings"

	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
)

// Rules that decide in confirm.
const (
	ruleChanged    = "gate:changed"    // what was answered is not what would run
	ruleNoes       = "gate:noes"       // three times no
	ruleUnwritten  = "gate:unwritten"  // a yes that could not be written down
	ruleWeb        = "web:chat"        // web access was allowed in this chat before
	ruleUnattended = "web:unattended"  // nobody is there to allow it
	rulePermission = "permission:used" // permissions in advance cover the call
)

// confirmation is one confirm under way: a call that asks, and what the log will
// say of it.
type confirmation struct {
	*gate
	t      *sdk.Task
	call   abi.GateCall
	reason string
	web    bool
	talk   *webTalk // of the chat's calls that go to the web; nil for others
	judged bool     // decide did not fault, so the call may be looked at again
	entry  abi.GateEntry
}

// confirm turns an ask into a yes or a no: by what the person said before, or by
// asking them. What was decided is on disk before the answer is given.
func (g *gate) confirm(t *sdk.Task, in abi.GateConfirm) (abi.GateVerdict, error) {
	if in.Decision.Decision != abi.Ask {
		return abi.GateVerdict{}, sdk.Errorf(abi.CodeBadInput, "only a call that asks can be confirmed")
	}
	c := &confirmation{gate: g, t: t, call: in.Call, reason: in.Decision.Reason, judged: in.Decision.Rule != abi.RuleFault}
	if c.web = c.judged && asksForWeb(in.Call, g.config); c.web {
		c.talk = g.web.enter(in.Call.Root)
		defer g.web.leave(in.Call.Root)
	}
	c.entry = abi.GateEntry{
		Root: in.Call.Root, Session: in.Call.Session, Call: in.Call.CallID, Tool: in.Call.Tool, What: in.What,
		Mode: modeOf(in.Call), Rule: in.Decision.Rule, Digest: digest(in.Call),
	}
	verdict, err := c.decide(in.Decision.Digest)
	if err != nil {
		return abi.GateVerdict{}, err
	}
	verdict.Digest, c.entry.Decision = c.entry.Digest, verdict.Decision
	if err := g.log.write(t, c.entry); err != nil {
		t.Logf(sdk.Error, "the decision log could not be written: %v", err)
		if verdict.Decision == abi.Allow {
			verdict.Decision, verdict.Message = abi.Deny, reason.NotWritten
		}
	}
	return verdict, nil
}

func (c *confirmation) decide(shown string) (abi.GateVerdict, error) {
	if shown != "" && shown != c.entry.Digest {
		return c.no(abi.ByFault, ruleChanged, reason.Changed), nil
	}
	if known, err := c.beforehand(); err != nil || known.Decision != "" {
		return known, err
	}
	if c.noes.over(c.call, thing(c.call, c.web)) {
		return c.no(abi.ByRule, ruleNoes, c.saidNo(reason.TooOften, reason.NoWeb)), nil
	}
	return c.ask()
}

// beforehand is the verdict that needs no question; the zero one when one must
// be put.
func (c *confirmation) beforehand() (none abi.GateVerdict, err error) {
	if !c.judged {
		return none, nil
	}
	covering, err := c.covering(c.t, c.call)
	if err != nil {
		return none, err
	}
	if len(covering) > 0 {
		c.entry.Permission = idsOf(covering)
		return c.yes(rulePermission), nil
	}
	if !c.web {
		return none, nil
	}
	allowed, err := marked(c.t, markWeb, c.call.Root)
	if err != nil {
		return none, err
	}
	if allowed {
		return c.yes(ruleWeb), nil
	}
	nobody, err := c.unattended(c.t, c.call.Root)
	if err != nil || !nobody {
		return none, err
	}
	return c.no(abi.ByRule, ruleUnattended, reason.NoWeb), nil
}

// ask puts the question.
func (c *confirmation) ask() (abi.GateVerdict, error) {
	q := abi.AskRequest{
		Session: c.call.Session, CallID: c.call.CallID, Tool: c.call.Tool, Reason: c.reason, Digest: c.entry.Digest,
	}
	if c.web {
		q.Share = webShare
	}
	for {
		if c.web && c.talk.allowed {
			return c.yes(ruleWeb), nil
		}
		answer, err := sdk.Ask(c.t, q)
		if err != nil {
			return abi.GateVerdict{}, err
		}
		// A yes to another call's card that reaches no further than that call is none to this one.
		if answer.Card == "" || answer.Outcome != allowedOnce || answer.Scope != abi.ScopeOnce {
			return c.answered(answer)
		}
	}
}

// Outcomes of a question, as the Harness names them.
const (
	allowedOnce = "allowed-once"
	rejected    = "rejected"
	cancelled   = "cancelled"
)

// answered is what an answer means. A yes for another digest is no yes.
func (c *confirmation) answered(answer abi.AskAnswer) (abi.GateVerdict, error) {
	c.entry.By, c.entry.Outcome = abi.ByNobody, answer.Outcome
	fill := func(key string) string { return reason.Long(key, "reason", c.reason, "note", answer.Note) }
	if answer.Digest != "" && answer.Digest != cmp.Or(answer.Card, c.entry.Digest) {
		return c.no(abi.ByFault, ruleChanged, reason.Changed), nil
	}
	switch answer.Outcome {
	case allowedOnce, rejected:
	case cancelled:
		return abi.GateVerdict{Decision: abi.Deny, Message: fill(reason.NoAnswer)}, nil
	default:
		return abi.GateVerdict{Decision: abi.Deny, Message: fill(reason.NotAsked)}, nil
	}
	yes := answer.Outcome == allowedOnce
	if nobody, err := c.unattended(c.t, c.call.Root); err != nil {
		return abi.GateVerdict{}, err
	} else if !nobody {
		c.entry.By = abi.ByPerson
	}
	if answer.Card == "" { // one answer counts once
		c.noes.answered(c.call, thing(c.call, c.web), yes)
	}
	switch {
	case yes:
		c.keep(answer)
		return abi.GateVerdict{Decision: abi.Allow}, nil
	case answer.Note != "":
		return abi.GateVerdict{Decision: abi.Deny, Message: fill(c.saidNo(reason.SaidNoNote, reason.NoWebNote))}, nil
	}
	return abi.GateVerdict{Decision: abi.Deny, Message: fill(c.saidNo(reason.SaidNo, reason.NoWeb))}, nil
}

// keep saves what a yes reaches beyond its call. What cannot be saved is asked
// about again.
func (c *confirmation) keep(answer abi.AskAnswer) {
	scope := answer.Scope
	if scope == "" {
		scope = abi.ScopeOnce
		if c.web {
			scope = abi.ScopeChat
		}
	}
	c.entry.Scope = scope
	var err error
	switch {
	case scope == abi.ScopeOnce || answer.Card != "" && scope != abi.ScopeChat:
		return
	case c.web && scope == abi.ScopeChat:
		c.talk.allowed = true
		err = mark(c.t, markWeb, c.call.Root)
	default:
		offer := offerOf(c.call, c.config, answer.Pattern)
		if len(offer.Scopes) == 0 {
			err = sdk.Errorf(abi.CodeBadInput, "%s", offer.Reason)
			break
		}
		var made abi.GatePermissions
		made, err = remember(c.t, abi.GateRemember{
			Tool: c.call.Tool, Pattern: offer.Pattern, Scope: scope, Root: c.call.Root, Folder: c.call.Workspace, Expires: answer.Expires,
		})
		c.entry.Permission = idsOf(made.Permissions)
	}
	if err != nil {
		c.t.Logf(sdk.Warn, "a yes was not kept beyond its call: %v", err)
		c.entry.Scope = abi.ScopeOnce
	}
}

// yes is a verdict by what the person said before.
func (c *confirmation) yes(rule string) abi.GateVerdict {
	c.entry.By, c.entry.Rule = abi.ByPermission, rule
	return abi.GateVerdict{Decision: abi.Allow}
}

// no is a verdict without a question, or in spite of its answer.
func (c *confirmation) no(by, rule, message string) abi.GateVerdict {
	c.entry.By, c.entry.Rule = by, rule
	return abi.GateVerdict{Decision: abi.Deny, Message: message}
}

// saidNo picks the sentence for a no.
func (c *confirmation) saidNo(key, web string) string {
	if c.web {
		return web
	}
	return key
}

// covering are the saved permissions that together cover a call; none when part
// of it is not covered, or cannot be.
func (g *gate) covering(t *sdk.Task, call abi.GateCall) ([]abi.GatePermission, error) {
	if modeOf(call) != abi.Manual {
		return nil, nil
	}
	needs, why := needsOf(call, g.config)
	if !why.None() || len(needs) == 0 {
		return nil, nil
	}
	saved, err := holding(t, call)
	if err != nil || len(saved) == 0 {
		return nil, err
	}
	paths, ok := pathsOf(needs)
	if !ok {
		return nil, nil
	}
	real, err := sdk.Realpath(t, paths)
	if err != nil {
		return nil, err
	}
	return coveredBy(needs, saved, real), nil
}

// unattended tells whether nobody is there to ask in a chat.
func (g *gate) unattended(t *sdk.Task, root string) (bool, error) {
	if g.config.Unattended {
		return true, nil
	}
	return marked(t, markUnattended, root)
}

func asksForWeb(call abi.GateCall, config abi.GateConfig) bool {
	f := judge(call, config)
	return len(f) == 1 && f[0].web && !f[0].why.None()
}

func idsOf(permissions []abi.GatePermission) string {
	ids := make([]string, len(permissions))
	for i, p := range permissions {
		ids[i] = p.ID
	}
	return strings.Join(ids, ",")
}
