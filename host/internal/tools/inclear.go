package tools

import (
	"strings"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/redact"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// minSegment is the length in bytes from which a part of an address that looks generated is
// taken for a key: services that have one there make it longer, and versions and dates are
// shorter.
const minSegment = 24

// inClear warns of a server whose address or argument looks like it holds a key, which
// stands there for every program to read; nil where none does.
func inClear(s connections.Server) *chat.Sentence {
	found := redact.Shaped(s.Address())
	if s.URL != nil {
		for part := range strings.SplitSeq(s.URL.Path, "/") {
			found = found || len(part) >= minSegment && redact.Shaped("token="+part)
		}
	}
	for i, arg := range s.Args {
		// The name of what it is may be the argument before it.
		found = found || redact.Shaped(arg) || i > 0 && redact.Shaped(s.Args[i-1]+"="+arg)
	}
	if !found {
		return nil
	}
	warning := say.Sentence(say.ServerKeyInClear, "name", s.Name)
	return &warning
}
