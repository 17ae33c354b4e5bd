package models

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/connections/probe"
	"strata.dev/bridge/proto/chat"
)

// localLimit is how long a server on this machine may take to say how it stands.
const localLimit = 3 * time.Second

// mostMissed is how often in a row a server may not answer before its routes go: one
// that works hard misses now and then, and each change starts the Harness again.
const mostMissed = 2

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

// Look has the local servers asked soon, as when one of them did not answer.
func (r *Registry) Look() {
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
	for _, c := range r.o.Fixed {
		if unsure(c) {
			targets[c.ID] = c
		}
	}
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
	if slices.ContainsFunc(r.o.Fixed, func(c connections.Connection) bool { return c.ID == id }) {
		r.asked[id] = r.asked[id].take(found, err)
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
