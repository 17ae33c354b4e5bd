package abi

import "encoding/json"

// Mode is a chat's permission mode. The presets are strata-<mode>
// (design §4); an unknown mode is Manual.
type Mode string

// The three modes, from the strictest to the loosest: Plan, Manual, Bypass.
const (
	Plan   Mode = "plan"
	Manual Mode = "manual"
	Bypass Mode = "bypass"
)

// Decisions of the gate.
const (
	Allow = "allow"
	Ask   = "ask"
	Deny  = "deny"
)

// GateConfig is the gate's init config, written by the profile.
type GateConfig struct {
	// Secrets are absolute real paths (files or folders) that no call may touch
	// unasked: DSH_HOME, the host's data folder, its token and key files.
	Secrets []string `json:"secrets,omitempty"`
}

// GateCall is one tool call as the gate sees it: the head of facts and decide.
type GateCall struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	// Mode is the root session's mode now; StartMode the one its turn began
	// under ("" when the same). The stricter of the two holds.
	Mode      Mode   `json:"mode"`
	StartMode Mode   `json:"startMode,omitempty"`
	CWD       string `json:"cwd"`
	Workspace string `json:"workspace"`
	Platform  string `json:"platform"` // Node's process.platform
	// Root is the root session of the delegation tree, Session the caller's own.
	Root    string `json:"root,omitempty"`
	Session string `json:"session,omitempty"`
	CallID  string `json:"callId,omitempty"`

	// Facts that the shim looked up because op facts named them.
	Git       *GitFacts         `json:"git,omitempty"`
	RealPaths map[string]string `json:"realpaths,omitempty"` // nil: judged on the path words alone
}

// GitFacts tells which settings of the repository's effective config name a program.
type GitFacts struct {
	Programs []string `json:"programs"`
	// Elsewhere is the folder that git really looks at, when it is not the one it is used in.
	Elsewhere string `json:"elsewhere,omitempty"`
}

// GateFacts names what must be looked up before decide.
type GateFacts struct {
	Paths []string `json:"paths"` // absolute, cleaned
	Git   bool     `json:"git"`
}

// GateDecision is decide's answer.
type GateDecision struct {
	Decision string     `json:"decision"` // Allow, Ask or Deny
	Reason   string     `json:"reason"`   // one plain sentence; for Deny it is what the model reads
	Rule     string     `json:"rule"`     // stable name of the rule that decided
	Parts    []GatePart `json:"parts,omitempty"`
	Digest   string     `json:"digest,omitempty"` // of this call (Digest)
}

// GatePart is one simple command of a compound one and how it was judged.
type GatePart struct {
	Text     string `json:"text"`
	Decision string `json:"decision"`
	Rule     string `json:"rule"`
	Reason   string `json:"reason,omitempty"`
}

// GateConfirm is confirm's head: a call and the Ask it got from decide (or from
// decide's default when decide faulted).
type GateConfirm struct {
	Call     GateCall     `json:"call"`
	Decision GateDecision `json:"decision"`
}

// GateVerdict is confirm's answer: Allow, or Deny with what the model reads.
type GateVerdict struct {
	Decision string `json:"decision"`
	Message  string `json:"message,omitempty"`
	Digest   string `json:"digest,omitempty"`
}

// GateDigest is op digest's answer; its head is a GateCall.
type GateDigest struct {
	Digest string `json:"digest"`
}

// GateOps is the gate's op table. A gate that faulted asks (decide), and a
// question that could not be asked is a no (confirm).
var GateOps = []Op{
	{Name: "facts", Sync: true, DeadlineMs: 1000, Default: GateFacts{Paths: []string{}}},
	{Name: "decide", Sync: true, DeadlineMs: 1000, Default: GateDecision{
		Decision: Ask, Rule: "gate-fault",
		Reason: "The safety check could not look at this call, so it asks.",
	}},
	{Name: "digest", Sync: true, DeadlineMs: 1000},
	{Name: "git", Sync: true, DeadlineMs: 1000}, // GitRepository and git's settings → GitSettings
	{Name: "confirm", Effects: []string{EffectAsk}, Default: GateVerdict{
		Decision: Deny,
		Message:  "The person could not be asked about this call, so it did not run. Nothing was changed. Tell the person what you wanted to do.",
	}},
}
