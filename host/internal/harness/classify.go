package harness

import (
	"fmt"
	"strings"

	"strata.dev/bridge/host/internal/say"
)

// symptoms are texts of a failed start, as 0.1.0-rc.8 prints them, the first
// match counting. What they mean was seen by running each case.
var symptoms = []struct {
	text string
	kind Kind
}{
	{"EADDRINUSE", KindPort},
	{"EACCES: permission denied 127.", KindPort},
	{"user patch-layer watching requires the Cordis HMR service", KindDrift},
	{"hmr.registerConfig is not a function", KindDrift},
	{SeamsMissing, KindSeams},
	{"pending (waiting for service", KindInject},
	{"dsh: invalid profile name", KindProfile},
	{"does not exist; create it with", KindProfile},
	{"failed to read profile manifest", KindProfile},
	{"profile manifest", KindProfile},
	{"cannot resolve profile bundle", KindProfile},
	{"declares no dsh.bundle", KindProfile},
	{"failed to parse", KindProfile},
	{"must be a top-level YAML array", KindProfile},
	{"must be a mapping (a loader patch entry)", KindProfile},
	{"which only the launching environment may set", KindProfile},
	{"failed to read overlay", KindProfile},
	{"failed to read patches", KindProfile},
	{"SyntaxError", KindProfile}, // package.json of the profile is no JSON; a plugin's says "plugin tree" too
	{"plugin tree failed to load", KindPlugin},
	{"did not activate", KindPlugin},
	{"fatal load failure", KindPlugin},
}

// classify tells from the output of a process that ended before it was ready
// what was wrong.
func classify(tail string) Kind {
	if strings.Contains(tail, "SyntaxError") && strings.Contains(tail, "plugin tree failed to load") {
		return KindPlugin
	}
	for _, s := range symptoms {
		if strings.Contains(tail, s.text) {
			return s.kind
		}
	}
	return KindExited
}

// startError makes the error of a start that ended by itself.
func startError(home string, c Component, how, tail string) *Error {
	details := how
	if tail != "" {
		details += "\n" + strings.TrimSpace(tail)
	}
	kind := classify(tail)
	switch kind {
	case KindPort:
		return newError(kind, details, say.Sentence(say.HarnessPort))
	case KindProfile:
		return newError(kind, details, say.Sentence(say.HarnessProfile, "path", home))
	case KindPlugin, KindInject:
		return newError(kind, details, say.Sentence(say.HarnessPlugin))
	case KindSeams:
		return newError(kind, details, say.Sentence(say.HarnessLacks, "version", c.Version, "tested", newestTested()))
	case KindDrift:
		return newError(kind, details, say.Sentence(say.HarnessDrift))
	}
	return newError(kind, details, say.Sentence(say.AgentFailed))
}

func slowError(seconds int, tail string) *Error {
	return newError(KindNotReady, strings.TrimSpace(tail),
		say.Sentence(say.HarnessSlow, "seconds", fmt.Sprint(seconds)))
}
