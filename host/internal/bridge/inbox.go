package bridge

import (
	"slices"

	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/proto/dsh"
)

// inbox folds what waits in a session for its next turn, from the log's begin.
type inbox struct{ lists map[string][]dsh.Message }

// apply takes the session's next event.
func (b *inbox) apply(e dsh.Event) {
	if e.Type != dsh.TypeInboxSpliced {
		return
	}
	s, ok := project.Data[dsh.Splice](e)
	if !ok {
		return
	}
	if b.lists == nil {
		b.lists = map[string][]dsh.Message{}
	}
	list := b.lists[s.Target]
	start := min(max(0, s.Start), len(list))
	end := min(max(start, start+s.RemovedCount), len(list))
	b.lists[s.Target] = slices.Concat(list[:start], s.Inserted, list[end:])
}

// find gives the waiting message that a request sent.
func (b *inbox) find(requestID string) (dsh.Message, bool) {
	for _, list := range b.lists {
		for _, m := range list {
			if m.Source.Kind == "user" && m.Source.RPCID == requestID {
				return m, true
			}
		}
	}
	return dsh.Message{}, false
}
