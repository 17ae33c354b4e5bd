package abi

// How far a person's yes reaches.
const (
	ScopeOnce   = "once"   // this call
	ScopeChat   = "chat"   // this chat and its helpers
	ScopeAlways = "always" // every chat in the same folder
)

// GatePermission is a yes that a person gave for more than one call. The gate
// keeps each in a record of its own, PermissionRecord + ID, so that a host can
// list and take back what is there without a running Harness.
type GatePermission struct {
	ID   string `json:"id"`   // 16 hex digits
	Tool string `json:"tool"` // the tool's name ("bash" for sh too, "web" for both of its tools)
	// Pattern is what it covers, in words a person can edit: for a shell one command
	// by its words, for a file tool a path, for another tool its name (whatever the
	// tool is given), "*" for the web.
	Pattern string `json:"pattern"`
	Scope   string `json:"scope"`          // ScopeChat or ScopeAlways
	Root    string `json:"root,omitempty"` // the chat's session, for ScopeChat
	Folder  string `json:"folder"`         // the workspace it was given in; it holds nowhere else
	Created int64  `json:"createdAt"`      // Unix milliseconds
	Expires int64  `json:"expiresAt,omitempty"`
}

// PermissionRecord begins the name of a permission's record in the gate's store.
const PermissionRecord = "permission-"

// MaxPermissions is how many permissions are kept.
const MaxPermissions = 200

// GateRemember is the head of op remember: permissions to save, one for each
// line of Pattern.
type GateRemember struct {
	Tool    string `json:"tool"`
	Pattern string `json:"pattern"`
	Scope   string `json:"scope"`
	Root    string `json:"root,omitempty"`
	Folder  string `json:"folder"`
	Expires int64  `json:"expires,omitempty"` // Unix milliseconds, 0 is never
}

// GatePermissions is the answer of ops remember and permissions: what was saved,
// or all that holds now, the oldest first.
type GatePermissions struct {
	Permissions []GatePermission `json:"permissions"`
}

// GateForget is the head of op forget. Code not-found when there is none.
type GateForget struct {
	ID string `json:"id"`
}

// GateMark is the head of op mark: nobody is there to ask in this chat.
type GateMark struct {
	Root string `json:"root"`
}

// GateOfferRequest is the head of op offer: a call that asks, and the pattern
// that a person wants to save with a yes; "" asks for one.
type GateOfferRequest struct {
	Call    GateCall `json:"call"`
	Pattern string   `json:"pattern,omitempty"`
	Scope   string   `json:"scope,omitempty"`
}

// GateOffer is what can be saved with a yes to a call. Without scopes nothing
// can, for the reason given.
type GateOffer struct {
	Scopes  []string `json:"scopes"`            // beyond ScopeOnce
	Scope   string   `json:"scope"`             // of a yes that names none
	Pattern string   `json:"pattern,omitempty"` // the narrowest that covers the call; one line a permission
	GateSentence
}

// GateQuestion is one question that waits for a person: what the gate's command
// `questions` answers a list of. Reason is the text on the card.
type GateQuestion struct {
	Session string `json:"session"` // that asks
	CallID  string `json:"callId"`
	Tool    string `json:"tool"`
	Digest  string `json:"digest"`
	Calls   int    `json:"calls"` // that wait for the answer: a card about the web is shared
	GateSentence
	Parts []GatePart `json:"parts,omitempty"`
	Offer GateOffer  `json:"offer"`
}

// GateSentence is a sentence for a person: its text, the English template and
// what fills its {name} places.
type GateSentence struct {
	Reason string            `json:"reason,omitempty"`
	Key    string            `json:"key,omitempty"`
	Args   map[string]string `json:"args,omitempty"`
}

// GateExplanation is the answer of op explain, whose head is a GateCall: how it
// is decided, and all that went into it.
type GateExplanation struct {
	GateDecision
	Mode Mode `json:"mode"` // that holds
	// Looked are the paths the decision rests on and where they really lead.
	Looked []GatePath `json:"looked,omitempty"`
	// NotProven is everything that kept the call from being allowed, not only the
	// first thing.
	NotProven []GateUnproven `json:"notProven,omitempty"`
	// Permissions are the saved ones that cover it now; the call then runs unasked.
	Permissions []GatePermission `json:"permissions,omitempty"`
	Offer       GateOffer        `json:"offer"`
}

// GatePath is a path that a call looks at. Real is "" where it was not looked up.
type GatePath struct {
	Path string `json:"path"`
	Real string `json:"real,omitempty"`
	Deep bool   `json:"deep,omitempty"` // all below it is read too
}

// GateUnproven is one thing that was not proven harmless: the part of a command
// (from 0; -1 is the call as a whole), the rule that found it, and why.
type GateUnproven struct {
	Part int    `json:"part"`
	Rule string `json:"rule"`
	GateSentence
}
