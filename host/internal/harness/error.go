package harness

import (
	"strata.dev/bridge/proto/chat"
)

// Kind says what went wrong with the Harness.
type Kind string

// The kinds of Error.
const (
	KindMissing  Kind = "missing"   // no component where one was named
	KindBroken   Kind = "broken"    // a component that is not whole
	KindNode     Kind = "node"      // no Node, one too old, or one that does not run
	KindHome     Kind = "home"      // its home cannot be made or written
	KindInUse    Kind = "in-use"    // another host runs a Harness on this home
	KindLeftover Kind = "leftover"  // what a dead host left behind cannot be ended
	KindLaunch   Kind = "launch"    // the program could not be started at all
	KindExited   Kind = "exited"    // it ended before it was ready, for no known reason
	KindPort     Kind = "port"      // it could not listen
	KindProfile  Kind = "profile"   // it could not read its profile
	KindPlugin   Kind = "plugin"    // a plugin row did not load or start
	KindInject   Kind = "inject"    // a plugin waits for a service that nothing provides
	KindSeams    Kind = "seams"     // it lacks what the gate needs
	KindDrift    Kind = "drift"     // an install with other dependencies than the tested ones
	KindURL      Kind = "url"       // it serves where it must not
	KindFence    Kind = "fence"     // it refuses the launch secret
	KindNotReady Kind = "not-ready" // it did not answer in time
	KindDied     Kind = "died"      // it ended by itself after it was ready
	KindLoop     Kind = "loop"      // it ended soon after its start several times in a row
)

// Error is a failure of the Harness: a sentence for the person and the technical
// text, which holds no secret.
type Error struct {
	Kind     Kind
	Sentence chat.Sentence
	Details  string
}

func newError(kind Kind, details string, s chat.Sentence) *Error {
	return &Error{Kind: kind, Sentence: s, Details: details}
}

// Error gives kind, sentence and details.
func (e *Error) Error() string {
	text := "harness: " + string(e.Kind) + ": " + e.Sentence.Text
	if e.Details != "" {
		text += " (" + e.Details + ")"
	}
	return text
}

// Chat gives the error as routes and frames carry it.
func (e *Error) Chat() *chat.Error {
	return &chat.Error{Code: chat.CodeAgentUnavailable, Sentence: e.Sentence, Details: e.Details}
}
