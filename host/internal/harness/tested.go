package harness

import (
	"slices"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// Tested are the versions that the whole suite ran on, oldest first. Their wires and
// seams are looked for all the same: a version says nothing of an install.
var Tested = []string{"0.1.0-rc.8"}

func newestTested() string { return Tested[len(Tested)-1] }

// SeamsMissing is what the gate says, and ends the start with, in a Harness that it
// cannot do its work in (shim/gate.mjs).
const SeamsMissing = "strata-gate: this Harness lacks what the gate needs"

// Untested is what a person is told of a version that was not tested; nil for one that
// was.
func (c Component) Untested() *chat.Sentence {
	if c.Version == "" || slices.Contains(Tested, c.Version) {
		return nil
	}
	s := say.Sentence(say.HarnessUntested, "version", c.Version, "tested", newestTested())
	return &s
}
