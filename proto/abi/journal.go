package abi

// Who decided a call.
const (
	ByPerson     = "person"     // answered the question
	ByRule       = "rule"       // one of the gate's own; Rule names it
	ByPermission = "permission" // a saved one; Permission names it
	ByMode       = "mode"       // Plan or Bypass
	ByFault      = "fault"      // something failed, so the safe answer was taken
	ByNobody     = "nobody"     // the question ended without an answer
)

// GateEntry is one line of the decision log: a call and what became of it. The
// log holds no argument whole and no secret that has a known shape.
type GateEntry struct {
	Time       int64  `json:"time"` // Unix milliseconds
	Root       string `json:"root,omitempty"`
	Session    string `json:"session,omitempty"`
	Call       string `json:"call,omitempty"`
	Tool       string `json:"tool"`
	What       string `json:"what,omitempty"` // the command, path or address, shortened and redacted
	Mode       Mode   `json:"mode,omitempty"`
	Decision   string `json:"decision"` // Allow or Deny
	By         string `json:"by"`       // one of the By constants
	Rule       string `json:"rule"`
	Permission string `json:"permission,omitempty"` // ids of the saved permissions that decided
	Outcome    string `json:"outcome,omitempty"`    // AskAnswer.Outcome where a question was put
	Scope      string `json:"scope,omitempty"`      // how far the person's yes reaches
	Digest     string `json:"digest,omitempty"`
}

// GateRecord is the head of op record: decisions that no question was put for.
// Their What is as the call has it; the gate shortens and redacts it.
type GateRecord struct {
	Entries []GateEntry `json:"entries"`
}

// The decision log is a row of records DecisionRecord + six digits, JSON lines,
// the newest entries in the one with the highest number.
const (
	DecisionRecord    = "decisions-"
	MaxDecisionBytes  = 512 << 10 // of one record; the next one is begun then
	MaxDecisionRecord = 8         // records kept; the oldest goes
)
