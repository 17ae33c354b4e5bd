package models

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/connections/probe"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// appPrefix begins the ids of the desktop's engines.
const appPrefix = "app-"

// app is an engine that the desktop has loaded.
type app struct {
	spec   chat.LocalSpec
	missed int
	err    error        // why it is not ready
	found  *probe.Found // what it told of itself; nil: nothing
}

// PutLocal takes in an engine of the desktop. It is asked first: only one that answers
// has a route. One that was there before, at the same address, keeps its route meanwhile.
func (r *Registry) PutLocal(ctx context.Context, id string, spec chat.LocalSpec) (chat.ModelConnection, error) {
	spec, err := checkLocal(id, spec)
	if err != nil {
		return chat.ModelConnection{}, err
	}
	next := &app{spec: spec, err: errUnasked, missed: mostMissed}
	r.mu.Lock()
	before := r.apps[id]
	if before == nil && len(r.apps) >= maxConnections {
		r.mu.Unlock()
		return chat.ModelConnection{}, say.Error(chat.CodeTooMany, "", say.ConnectionsFull, "count", strconv.Itoa(maxConnections))
	}
	if before != nil && before.spec.BaseURL == spec.BaseURL {
		next.found, next.err, next.missed = before.found, before.err, before.missed
	}
	r.apps[id] = next
	r.mu.Unlock()
	r.ask(ctx, appPrefix+id, next.saved(appPrefix+id).begin(&connections.Key{}).connection)
	r.apply()
	return r.Get(appPrefix + id)
}

// errUnasked says that an engine was not asked yet.
var errUnasked = errors.New("it was not asked yet")

// DropLocal forgets an engine of the desktop.
func (r *Registry) DropLocal(id string) error {
	r.mu.Lock()
	_, ok := r.apps[id]
	delete(r.apps, id)
	r.mu.Unlock()
	if !ok {
		return gone(id)
	}
	r.apply()
	return nil
}

// composeApps composes the desktop's engines, in the order of their ids. The lock is
// held.
func (r *Registry) composeApps() []known {
	var out []known
	for _, id := range slices.Sorted(maps.Keys(r.apps)) {
		out = append(out, r.apps[id].compose(appPrefix+id))
	}
	return out
}

// saved is the engine as a saved connection would have it.
func (a *app) saved(id string) connection {
	return connection{ID: id, Kind: chat.KindLocal, BaseURL: a.spec.BaseURL, Slots: a.spec.Slots}
}

func (a *app) compose(id string) known {
	k := a.saved(id).begin(&connections.Key{})
	k.connection.FitMaxTokens = !a.spec.External
	k.connection.Slots = a.spec.Slots
	server, lacking := chat.ModelOffer{}, false // lacking: it has models, and not this one
	if a.found != nil {
		if k.connection.Slots == 0 {
			k.connection.Slots = a.found.Slots
		}
		if i := slices.IndexFunc(a.found.Models, func(m probe.Model) bool { return m.ID == a.spec.Model }); i >= 0 {
			server.ContextWindow, server.Images = a.found.Models[i].ContextWindow, a.found.Models[i].Images
		} else {
			lacking = len(a.found.Models) > 0
		}
	}
	k.shown.Origin, k.shown.Slots = chat.FromApp, k.connection.Slots
	k.add(chat.ModelSpec{ID: a.spec.Model, Name: a.spec.Name, ContextWindow: a.spec.ContextWindow, Images: a.spec.Images}, server,
		connections.EffortsOf(chat.KindLocal, false))
	switch {
	case errors.Is(a.err, probe.ErrLoading), a.err != nil && a.missed >= mostMissed:
		k.unready(unlisted(k.connection, a.err), a.err.Error())
	case lacking:
		k.unready(say.Sentence(say.EngineLacks, "server", k.connection.Upstream.Host, "model", a.spec.Model), "")
	default:
		k.settle()
	}
	return k
}

func (a *app) take(found probe.Found, err error) {
	switch {
	case err == nil:
		a.found, a.err, a.missed = &found, nil, 0
	case connections.NoSuchRoute(err): // an engine without a list: the desktop says that it is ready
		a.err, a.missed = nil, 0
	default:
		a.err = err
		a.missed++
	}
}
