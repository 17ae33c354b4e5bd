package models

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/connections/probe"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// appPrefix begins the ids of the desktop's engines.
const appPrefix = "app-"

// localLimit is how long a server on this machine may take to say how it stands.
const localLimit = 3 * time.Second

// mostMissed is how often in a row a server may not answer before its routes go: one
// that works hard misses now and then, and each change starts the Harness again.
const mostMissed = 2

// app is an engine that the desktop has loaded.
type app struct {
	spec   chat.LocalSpec
	missed int
	err    error        // why it is not ready
	found  *probe.Found // what it told of itself; nil: nothing
}

// PutLocal takes in an engine of the desktop, which is ready from now on.
func (r *Registry) PutLocal(id string, spec chat.LocalSpec) (chat.ModelConnection, error) {
	if !connections.ValidID(appPrefix + id) {
		return chat.ModelConnection{}, wrong("id")
	}
	if _, err := connections.ParseUpstream(spec.BaseURL); err != nil {
		return chat.ModelConnection{}, say.Error(chat.CodeBadRequest, "", say.AddressWrong, "why", err.Error())
	}
	switch {
	case spec.Model == "":
		return chat.ModelConnection{}, wrong("model")
	case spec.ContextWindow < 0 || spec.ContextWindow > maxWindow:
		return chat.ModelConnection{}, wrong("contextWindow")
	case spec.Slots < 0 || spec.Slots > maxSlots:
		return chat.ModelConnection{}, wrong("slots")
	}
	r.mu.Lock()
	r.apps[id] = &app{spec: spec}
	r.mu.Unlock()
	r.apply()
	r.look()
	return r.Get(appPrefix + id)
}

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
	server := chat.ModelOffer{}
	if a.found != nil {
		if k.connection.Slots == 0 {
			k.connection.Slots = a.found.Slots
		}
		if i := slices.IndexFunc(a.found.Models, func(m probe.Model) bool { return m.ID == a.spec.Model }); i >= 0 {
			server.ContextWindow, server.Images = a.found.Models[i].ContextWindow, a.found.Models[i].Images
		}
	}
	k.shown.Origin, k.shown.Slots = chat.FromApp, k.connection.Slots
	k.add(chat.ModelSpec{ID: a.spec.Model, Name: a.spec.Name, ContextWindow: a.spec.ContextWindow, Images: a.spec.Images}, server,
		connections.EffortsOf(chat.KindLocal, false))
	if a.err != nil && a.missed >= mostMissed {
		k.unready(say.Sentence(say.LocalDown, "server", k.connection.Upstream.Host), a.err.Error())
	} else {
		k.settle()
	}
	return k
}

// firstLook is how long Start waits for the local servers: those on this machine answer
// within milliseconds, and the host is to be there soon.
const firstLook = 300 * time.Millisecond

// Start asks the local servers, and goes on asking them until Close. It returns once the
// first answers are there, or time is up.
func (r *Registry) Start(ctx context.Context) {
	first, enough := context.WithTimeout(ctx, firstLook)
	r.lookAround(first)
	enough()
	r.apply()
	ctx, r.watch = context.WithCancel(context.WithoutCancel(ctx))
	r.ended = make(chan struct{})
	go r.keepWatch(ctx)
}

// Close ends what Start began.
func (r *Registry) Close() {
	if r.watch == nil {
		return
	}
	r.watch()
	<-r.ended
	r.client.CloseIdleConnections()
}

// look has the local servers asked soon.
func (r *Registry) look() {
	select {
	case r.kick <- struct{}{}:
	default:
	}
}

func (r *Registry) keepWatch(ctx context.Context) {
	defer close(r.ended)
	tick := time.NewTicker(r.o.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-r.kick:
		}
		r.lookAround(ctx)
	}
}

// lookAround asks all local servers at once, and tells of what has changed.
func (r *Registry) lookAround(ctx context.Context) {
	r.mu.Lock()
	targets := map[string]connections.Connection{}
	for _, c := range r.file.Connections {
		if key := r.keys[c.ID]; c.Kind == chat.KindLocal && key != nil {
			targets[c.ID] = c.begin(key).connection
		}
	}
	for id, a := range r.apps {
		targets[appPrefix+id] = a.saved(appPrefix + id).begin(&connections.Key{}).connection
	}
	r.mu.Unlock()
	var all sync.WaitGroup
	for id, c := range targets {
		all.Go(func() { r.ask(ctx, id, c) })
	}
	all.Wait()
	if len(targets) > 0 && ctx.Err() == nil {
		r.apply()
	}
}

// ask asks one local server and keeps what it says.
func (r *Registry) ask(ctx context.Context, id string, c connections.Connection) {
	within, cancel := context.WithTimeout(ctx, localLimit)
	defer cancel()
	found, err := probe.Ask(within, r.client, c)
	if ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if engine, ok := strings.CutPrefix(id, appPrefix); ok {
		if a := r.apps[engine]; a != nil && sameServer(a.spec.BaseURL, c) {
			a.take(found, err)
		}
		return
	}
	for _, saved := range r.file.Connections {
		if saved.ID == id && sameServer(saved.BaseURL, c) {
			r.asked[id] = r.asked[id].take(found, err)
		}
	}
}

// sameServer tells whether an address is still that of the connection which was asked.
func sameServer(address string, c connections.Connection) bool {
	u, err := connections.ParseUpstream(address)
	return err == nil && u.String() == c.Upstream.String()
}

func (a *app) take(found probe.Found, err error) {
	var refused *probe.StatusError
	switch {
	case err == nil:
		a.found, a.err, a.missed = &found, nil, 0
	case errors.As(err, &refused): // it answers, and the desktop says that it is ready
		a.err, a.missed = nil, 0
	default:
		a.err = err
		a.missed++
	}
}

// take is what is known of a server after another answer.
func (a asked) take(found probe.Found, err error) asked {
	switch {
	case err == nil:
		return asked{found: &found}
	case a.found != nil && a.missed+1 < mostMissed && !errors.Is(err, probe.ErrLoading):
		return asked{found: a.found, err: err, missed: a.missed + 1}
	}
	return asked{err: err, missed: a.missed + 1}
}
