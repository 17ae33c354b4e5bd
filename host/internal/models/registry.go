// Package models keeps the model connections: the person's saved ones, the engines that
// the desktop has loaded, and those of the command line. It says which of their models
// can be chosen, and why not.
package models

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"sync"
	"time"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/profile"
	"strata.dev/bridge/proto/chat"
)

type effort = profile.Effort

// Options is what a Registry is made of. Zero durations are the defaults.
type Options struct {
	Dir  string // the host's data folder
	Keys *connections.KeyStore
	// Fixed are those of the command line.
	Fixed []connections.Connection
	// Secret is told of every key, so that it can be taken out of texts.
	Secret func(connections.Key)
	// Redact takes secrets out of technical text.
	Redact    func(string) string
	Transport http.RoundTripper // nil is one of its own
	Log       *zap.Logger

	Every time.Duration // how often local servers are asked (5 s)
	Limit time.Duration // how long one request may take (15 s; a local server's 3 s)
	Fresh time.Duration // how long a list that was read is not read again (10 minutes)
}

// Registry holds the connections. It may be used from many goroutines.
type Registry struct {
	o      Options
	client *http.Client

	editing  sync.Mutex // held by who changes the file
	applying sync.Mutex // held by who tells of a change
	follower func([]connections.Connection)

	mu    sync.Mutex
	file  file
	keys  map[string]*connections.Key // of saved connections; nil: could not be read
	asked map[string]asked            // local servers, saved or of the command line, by id
	apps  map[string]*app             // engines of the desktop, by its id
	told  []connections.Connection    // what the follower was told last

	watch context.CancelFunc
	ended chan struct{}
	kick  chan struct{} // has local servers asked at once
}

// Open reads what was saved. It asks nobody but the place of the keys.
func Open(ctx context.Context, o Options) (*Registry, error) {
	or := func(d *time.Duration, def time.Duration) {
		if *d == 0 {
			*d = def
		}
	}
	or(&o.Every, 5*time.Second)
	or(&o.Limit, 15*time.Second)
	or(&o.Fresh, 10*time.Minute)
	if o.Transport == nil {
		o.Transport = connections.Transport()
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	if o.Secret == nil {
		o.Secret = func(connections.Key) {}
	}
	r := &Registry{
		o: o, keys: map[string]*connections.Key{}, asked: map[string]asked{}, apps: map[string]*app{}, kick: make(chan struct{}, 1),
		client: &http.Client{Transport: o.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
	var err error
	if r.file, err = r.load(); err != nil {
		return nil, fmt.Errorf("opening the model connections: %w", err)
	}
	for _, c := range r.file.Connections {
		r.readKey(ctx, c)
	}
	r.told = usable(r.all(), r.file.Default)
	return r, nil
}

// readKey reads the key of a saved connection.
func (r *Registry) readKey(ctx context.Context, c connection) {
	key, err := r.o.Keys.Get(ctx, c.Key)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.o.Log.Warn("a model connection's key was not read", zap.String("connection", c.ID), zap.Error(err))
		r.keys[c.ID] = nil
		return
	}
	r.o.Secret(key)
	r.keys[c.ID] = &key
}

// all composes every connection. The lock is held, or nobody else has the Registry.
func (r *Registry) all() []known {
	var out []known
	for _, c := range r.o.Fixed {
		out = append(out, fixed(c, r.asked[c.ID]))
	}
	for _, c := range r.file.Connections {
		if c.Kind == chat.KindLocal {
			out = append(out, c.local(r.keys[c.ID], r.asked[c.ID]))
		} else {
			out = append(out, c.api(r.keys[c.ID]))
		}
	}
	return append(out, r.composeApps()...)
}

// Connections are those that have routes; the first model of the first one is the default.
func (r *Registry) Connections() []connections.Connection {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.told
}

// List tells of every connection.
func (r *Registry) List() chat.ModelsAnswer {
	kept := r.o.Keys.Kept()
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.all()
	a := chat.ModelsAnswer{Connections: []chat.ModelConnection{}, KeysIn: kept, KeyFile: r.o.Keys.Path()}
	for _, k := range all {
		a.Connections = append(a.Connections, k.shown)
	}
	if routes := connections.Routes(usable(all, r.file.Default)); len(routes) > 0 {
		a.Default = routes[0].ID
	}
	return a
}

// Follow has f told which connections have routes, whenever that is another thing than
// known. Calls come one after the other.
func (r *Registry) Follow(known []connections.Connection, f func([]connections.Connection)) {
	r.applying.Lock()
	defer r.applying.Unlock()
	r.follower = f
	if now := r.Connections(); !reflect.DeepEqual(now, known) {
		f(now)
	}
}

// find gives the connection of an id. The lock is held.
func (r *Registry) find(id string) (known, bool) {
	for _, k := range r.all() {
		if k.shown.ID == id {
			return k, true
		}
	}
	return known{}, false
}

// Get tells of one connection.
func (r *Registry) Get(id string) (chat.ModelConnection, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, ok := r.find(id)
	if !ok {
		return chat.ModelConnection{}, gone(id)
	}
	return k.shown, nil
}

// apply tells of a change, if it is one.
func (r *Registry) apply() {
	r.applying.Lock()
	defer r.applying.Unlock()
	r.mu.Lock()
	now := usable(r.all(), r.file.Default)
	same := reflect.DeepEqual(now, r.told)
	r.told = now
	r.mu.Unlock()
	if !same && r.follower != nil {
		r.follower(now)
	}
}
