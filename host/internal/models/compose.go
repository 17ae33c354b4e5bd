package models

import (
	"cmp"
	"slices"
	"strconv"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/connections/probe"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// known is a connection, what is known of it, and what a page shows.
type known struct {
	connection connections.Connection
	shown      chat.ModelConnection
}

// asked is how a local server answered.
type asked struct {
	found  *probe.Found // of the newest answer; nil: it has not answered
	err    error        // of the newest try
	missed int          // how often in a row it has not answered
}

// api composes a saved connection of a provider. key is nil where it could not be read.
func (c connection) api(key *connections.Key) known {
	k := c.begin(key)
	for _, m := range c.Models {
		k.add(m.ModelSpec, listed(m), connections.EffortsOf(c.Kind, m.Listed != nil && m.Listed.Reasoning))
	}
	switch {
	case key == nil:
		k.unready(say.Sentence(say.ConnectionKeyLost), "")
	case key.IsZero() && c.Kind != chat.KindOpenAI:
		k.unready(say.Sentence(say.ConnectionNoKey, "name", connections.KindName(c.Kind)), "")
	case len(c.Models) == 0:
		k.unready(say.Sentence(say.ConnectionNoModel), "")
	default:
		k.settle()
	}
	return k
}

// local composes a saved server of the person's own, from what it answered.
func (c connection) local(key *connections.Key, a asked) known {
	k := c.begin(key)
	k.connection.Slots = c.Slots
	if a.found != nil {
		k.connection.Slots = cmp.Or(c.Slots, a.found.Slots)
		for _, m := range c.choose(a.found.Models) {
			k.add(m.ModelSpec, listed(m), connections.EffortsOf(c.Kind, false))
		}
	}
	k.shown.Slots = k.connection.Slots
	server := k.connection.Upstream.Host
	switch {
	case key == nil:
		k.unready(say.Sentence(say.ConnectionKeyLost), "")
	case a.found == nil && a.err != nil:
		k.unready(unlisted(k.connection, a.err), key.Redact(a.err.Error()))
	case a.found == nil: // not asked yet
		k.unready(say.Sentence(say.LocalDown, "server", server), "")
	case len(k.shown.Models) == 0:
		k.unready(say.Sentence(say.LocalEmpty, "server", server), "")
	default:
		k.settle()
	}
	return k
}

// choose are the models that the server has, of those that the person named where they
// named some.
func (c connection) choose(found []probe.Model) []model {
	var out []model
	for _, f := range found {
		m := model{ModelSpec: chat.ModelSpec{ID: f.ID}, Listed: &chat.ModelOffer{ID: f.ID, ContextWindow: f.ContextWindow, Images: f.Images}}
		i := slices.IndexFunc(c.Models, func(said model) bool { return said.ID == f.ID })
		if i >= 0 {
			m.ModelSpec = c.Models[i].ModelSpec
		}
		if i >= 0 || len(c.Models) == 0 {
			out = append(out, m)
		}
	}
	return out
}

// begin gives what does not hang on the server's answers.
func (c connection) begin(key *connections.Key) known {
	upstream, err := connections.ParseUpstream(c.BaseURL)
	if err != nil { // checked when it was saved; a file that was edited by hand
		upstream, _ = connections.ParseUpstream("http://127.0.0.1:9")
	}
	name := cmp.Or(c.Name, connections.KindName(c.Kind))
	k := known{
		connection: connections.Connection{ID: c.ID, Name: name, Kind: c.Kind, Upstream: upstream},
		shown: chat.ModelConnection{
			ID: c.ID, Kind: c.Kind, Name: name, BaseURL: c.BaseURL, Origin: chat.FromPerson, KeyIn: c.Key.Place, SaidSlots: c.Slots, Models: []chat.ModelInfo{},
		},
	}
	if key != nil {
		k.connection.Key = *key
	}
	for _, m := range c.Models {
		k.shown.Said = append(k.shown.Said, m.ModelSpec)
	}
	return k
}

func listed(m model) chat.ModelOffer {
	if m.Listed == nil {
		return chat.ModelOffer{}
	}
	return *m.Listed
}

// add adds a model. What the person says comes before what the server tells; pictures
// either of them may refuse. One whose window nobody knows cannot be chosen.
func (k *known) add(said chat.ModelSpec, server chat.ModelOffer, efforts []effort) {
	no := func(reads *bool) bool { return reads != nil && !*reads }
	m := connections.Model{
		ID: said.ID, Name: cmp.Or(said.Name, server.Name), ContextWindow: cmp.Or(said.ContextWindow, server.ContextWindow), MaxOutput: server.MaxOutput,
		NoPictures: no(said.Images) || no(server.Images), Efforts: efforts, Price: server.Price,
	}
	info := chat.ModelInfo{
		ID: m.ID, Name: cmp.Or(m.Name, m.ID), ContextWindow: m.ContextWindow, Images: m.ReadsPictures(), Price: m.Price,
	}
	for _, e := range efforts {
		info.Thinking = append(info.Thinking, e.Level)
	}
	if m.ContextWindow > 0 {
		info.Route = k.connection.ID + "/" + m.ID
		k.connection.Models = append(k.connection.Models, m)
	} else {
		info.Asks = []chat.Ask{chat.AskWindow}
	}
	k.shown.Models = append(k.shown.Models, info)
}

// settle says that the connection is ready, or what is asked for first.
func (k *known) settle() {
	c := k.connection
	window, slots := say.WindowAsked, say.SlotsAsked
	switch k.shown.Origin { // where they are entered
	case chat.FromApp:
		window, slots = say.WindowAskedOfApp, say.SlotsAskedOfApp
	case chat.FromFlags:
		window, slots = say.WindowAskedOfFlags, say.SlotsAskedOfFlags
	}
	if c.Kind == chat.KindLocal && c.Slots == 0 {
		k.shown.Asks = []chat.Ask{chat.AskSlots}
		k.shown.Sentence = say.Sentence(slots, "count", strconv.Itoa(connections.MaxHelpers([]connections.Connection{c})))
	}
	if i := slices.IndexFunc(k.shown.Models, func(m chat.ModelInfo) bool { return len(m.Asks) > 0 }); i >= 0 {
		k.shown.Asks = append([]chat.Ask{chat.AskWindow}, k.shown.Asks...)
		k.shown.Sentence = say.Sentence(window, "model", k.shown.Models[i].Name)
	}
	k.shown.Ready = len(c.Models) > 0
	if k.shown.Text == "" && c.InClear() {
		k.shown.Sentence = say.Sentence(say.KeyInClear, "server", c.Upstream.Host)
	}
}

// unready says why none of its models can be chosen.
func (k *known) unready(why chat.Sentence, details string) {
	k.connection.Models = nil
	k.shown.Sentence, k.shown.Details = why, details
	for i := range k.shown.Models {
		k.shown.Models[i].Route = ""
	}
}

// usable are the connections that have routes, the default's first.
func usable(all []known, route string) []connections.Connection {
	var out []connections.Connection
	for _, k := range all {
		if len(k.connection.Models) > 0 {
			out = append(out, k.connection)
		}
	}
	provider, id, ok := connections.SplitRoute(route)
	if !ok {
		return out
	}
	for i, c := range out {
		for j, m := range c.Models {
			if c.ID == provider && m.ID == id {
				out[i].Models = front(c.Models, j)
				return front(out, i)
			}
		}
	}
	return out
}

// front gives a copy with the item at i in front.
func front[T any](all []T, i int) []T {
	return slices.Concat(all[i:i+1], all[:i], all[i+1:])
}
