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
	Web     GateWeb  `json:"web,omitzero"`
	// Unattended says that nobody is there to ask in any chat of this Harness; a
	// single chat is marked by op mark.
	Unattended bool `json:"unattended,omitempty"`
	// MaxHelpers is how many helpers of a chat may be at work at once; 0 is no limit.
	MaxHelpers int64 `json:"maxHelpers,omitempty"`
	// HelpersBy is the same for chats on a model of these providers, by their ids.
	HelpersBy map[string]int64 `json:"helpersBy,omitempty"`
}

// GateWeb is how web access is asked about.
type GateWeb struct {
	Engine  string `json:"engine,omitempty"`  // who gets the search words, by the name a person knows
	SkipAsk bool   `json:"skipAsk,omitempty"` // the person let it be used without a question
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
	// Said tells the person's newest message in the root session from earlier ones
	// (its seq): a no counts until they have written again.
	Said int64 `json:"said,omitempty"`
	// Unattended says that nobody is there to ask in the root session's chat: it was
	// marked so in this life of the Harness.
	Unattended bool `json:"unattended,omitempty"`
	// Brief says that nobody looks at the parts of a call that is allowed: they are
	// left out.
	Brief bool `json:"brief,omitempty"`

	// Facts that the shim looked up because op facts named them.
	Helpers   int64             `json:"helpers,omitempty"`  // of the root session, at work or about to be
	Provider  string            `json:"provider,omitempty"` // of the root session's model; looked up with Helpers
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
	// Files are those of Paths that must not be folders, since what lies in one
	// would be read through links: the real path of one that is a folder is "".
	Files []string `json:"files,omitempty"`
	// Folders are those of Paths from which a pattern picks names: the real path
	// of each entry is looked up as well; "" for a folder with too many. /* at the
	// end stands for all folders in a folder, links to folders left out; /** for all
	// links below one (see place.Below).
	Folders []string `json:"folders,omitempty"`
	Git     bool     `json:"git"`
	// Helpers says that the call starts a helper: those at work are to be counted, and the
	// chat's provider told.
	Helpers bool `json:"helpers,omitempty"`
}

// GateDecision is decide's answer.
type GateDecision struct {
	Decision string `json:"decision"` // Allow, Ask or Deny
	Reason   string `json:"reason"`   // one plain sentence; for Deny it is what the model reads
	Rule     string `json:"rule"`     // stable name of the rule that decided
	// Key and Args are the sentence for a person in its parts: the English template,
	// by which it is translated, and what fills its {name} places. For Deny it is
	// the sentence inside Reason: what the mode does not allow.
	Key    string            `json:"key,omitempty"`
	Args   map[string]string `json:"args,omitempty"`
	Parts  []GatePart        `json:"parts,omitempty"`
	Digest string            `json:"digest,omitempty"` // of this call (Digest)
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
	What     string       `json:"what,omitempty"` // for the decision log, see GateEntry
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

// RuleFault is the rule of the decision that stands when decide itself faulted.
const RuleFault = "gate-fault"

// gateStore are the effects by which the gate keeps what outlives an instance.
var gateStore = []string{EffectStoreGet, EffectStorePut, EffectStoreAppend, EffectStoreList, EffectStoreDelete}

// GateOps is the gate's op table. A gate that faulted asks (decide), and a
// question that could not be asked is a no (confirm).
var GateOps = []Op{
	{Name: "facts", Sync: true, DeadlineMs: 1000, Default: GateFacts{Paths: []string{}}},
	{Name: "decide", Sync: true, DeadlineMs: 1000, Default: GateDecision{
		Decision: Ask, Rule: RuleFault,
		Reason: "The safety check could not look at this call, so it asks.",
		Key:    "The safety check could not look at this call, so it asks.",
	}},
	{Name: "digest", Sync: true, DeadlineMs: 1000},
	{Name: "git", Sync: true, DeadlineMs: 1000},   // GitRepository and git's settings → GitSettings
	{Name: "offer", Sync: true, DeadlineMs: 1000}, // GateOfferRequest → GateOffer
	{Name: "explain", Effects: append([]string{EffectRealpath}, gateStore...), DeadlineMs: 10_000},
	{Name: "remember", Effects: gateStore, DeadlineMs: 10_000},    // GateRemember → GatePermissions
	{Name: "forget", Effects: gateStore, DeadlineMs: 10_000},      // GateForget → {}
	{Name: "permissions", Effects: gateStore, DeadlineMs: 10_000}, // {} → GatePermissions
	{Name: "mark", Effects: gateStore, DeadlineMs: 10_000},        // GateMark → {}
	{Name: "record", Effects: gateStore, DeadlineMs: 10_000},      // GateRecord → {}
	{Name: "confirm", Effects: append([]string{EffectAsk, EffectRealpath}, gateStore...), Default: GateVerdict{
		Decision: Deny,
		Message:  "The person could not be asked about this call, so it did not run. Nothing was changed. Tell the person what you wanted to do.",
	}},
}
