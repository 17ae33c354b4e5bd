package models

import (
	"cmp"
	"slices"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/connections/probe"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// unsure tells whether a connection of the command line hangs on what its server tells: it
// is on this machine, and nobody said the window.
func unsure(c connections.Connection) bool {
	return c.Kind == chat.KindLocal && slices.ContainsFunc(c.Models, func(m connections.Model) bool { return m.ContextWindow == 0 })
}

// fixed composes a connection of the command line. What that says holds; a model without a
// window has no route until its server tells one.
func fixed(c connections.Connection, a asked) known {
	k := known{connection: c, shown: chat.ModelConnection{
		ID: c.ID, Kind: c.Kind, Name: cmp.Or(c.Name, c.Upstream.Host), BaseURL: c.Upstream.String(), Origin: chat.FromFlags, Models: []chat.ModelInfo{},
	}}
	k.connection.Models = nil
	if !c.Key.IsZero() {
		k.shown.KeyIn = chat.KeyInFlags
	}
	found := probe.Found{}
	if a.found != nil {
		found = *a.found
	}
	k.connection.Slots = cmp.Or(c.Slots, found.Slots)
	k.shown.Slots = k.connection.Slots
	for _, m := range c.Models {
		reads, server := m.ReadsPictures(), chat.ModelOffer{MaxOutput: m.MaxOutput, Price: m.Price}
		if i := slices.IndexFunc(found.Models, func(f probe.Model) bool { return f.ID == m.ID }); i >= 0 {
			server.ContextWindow, server.Images = found.Models[i].ContextWindow, found.Models[i].Images
		}
		k.add(chat.ModelSpec{ID: m.ID, Name: m.Name, ContextWindow: m.ContextWindow, Images: &reads}, server, m.Efforts)
	}
	switch {
	case !unsure(c) || a.found != nil:
		k.settle()
	case a.err != nil:
		k.unready(unlisted(c, a.err), c.Key.Redact(a.err.Error()))
	default: // not asked yet
		k.unready(say.Sentence(say.LocalDown, "server", c.Upstream.Host), "")
	}
	return k
}
