package project

import (
	"strata.dev/bridge/host/internal/project/draft"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// draftStep is by how many bytes a file must have grown before it is shown again.
const draftStep = 256

// writers are the tools whose arguments hold a file's text.
var writers = map[string]bool{"write": true, "edit": true}

// drafted is a call that is being written.
type drafted struct {
	draft.Draft
	id, name string
	shown    int // its size when it was last shown
}

// drafting shows a file that grows in a call's arguments, on the chat's own page. The
// call's card takes its place.
func (f *Fold) drafting(k dsh.Chunk) []chat.Frame {
	if f.cfg.Session != f.cfg.Root {
		return nil
	}
	d := f.drafts[k.Index]
	if d == nil {
		d = &drafted{}
		f.drafts[k.Index] = d
	}
	if k.ID != "" {
		d.id = k.ID
	}
	if k.Name != "" {
		d.name = k.Name
	}
	if !writers[d.name] || d.id == "" || f.named[f.cfg.id(d.id)] { // an id that a card has had gets another name
		return nil
	}
	d.Write(k.ArgumentsDelta)
	if !d.Begun() || d.shown > 0 && d.Size()-d.shown < draftStep {
		return nil
	}
	d.shown = d.Size()
	return []chat.Frame{{Type: chat.AgentDraft, ToolDraft: &chat.ToolDraft{
		ID: f.cfg.id(d.id), Name: d.name, Size: d.Size(), Lines: d.Lines(), Tail: d.Tail(),
	}}}
}
