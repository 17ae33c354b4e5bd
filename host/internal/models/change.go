package models

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/profile"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/proto/chat"
)

// reserved are ids that stand for something else in routes or addresses.
var reserved = []string{profile.Name, "local", "test", "default"}

// gone refuses what is said of a connection that is not there.
func gone(id string) error { return say.Error(chat.CodeUnknownConnection, id, say.ConnectionUnknown) }

// spec is a connection as a person says it, checked.
type spec struct {
	connection
	key *connections.Key // nil keeps the one there is
}

// Add saves a connection.
func (r *Registry) Add(ctx context.Context, said chat.ConnectionSpec) (chat.ModelConnection, error) {
	s, err := check(said)
	if err != nil {
		return chat.ModelConnection{}, err
	}
	r.editing.Lock()
	defer r.editing.Unlock()
	if len(r.file.Connections) >= maxConnections { // only who edits changes it
		return chat.ModelConnection{}, say.Error(chat.CodeTooMany, "", say.ConnectionsFull, "count", strconv.Itoa(maxConnections))
	}
	s.ID = r.newID(s.connection)
	if s.key == nil {
		s.key = &connections.Key{}
	}
	return r.save(ctx, s, nil)
}

// Replace saves a connection in place of the one of that id.
func (r *Registry) Replace(ctx context.Context, id string, said chat.ConnectionSpec) (chat.ModelConnection, error) {
	s, err := check(said)
	if err != nil {
		return chat.ModelConnection{}, err
	}
	r.editing.Lock()
	defer r.editing.Unlock()
	before, err := r.saved(id)
	if err != nil {
		return chat.ModelConnection{}, err
	}
	s.ID = id
	if s.key == nil && before.Key != (connections.KeyRef{}) && !sameOrigin(before.BaseURL, s.BaseURL) {
		return chat.ModelConnection{}, refuse(say.KeyOfAnother)
	}
	return r.save(ctx, s, &before)
}

// sameOrigin tells whether two base URLs are of one server: a key that was entered for
// one goes to no other, whoever asks for it.
func sameOrigin(one, other string) bool {
	a, err := connections.ParseUpstream(one)
	if err != nil {
		return false
	}
	b, err := connections.ParseUpstream(other)
	return err == nil && a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host)
}

// saved gives a saved connection to who edits.
func (r *Registry) saved(id string) (connection, error) {
	for _, c := range r.file.Connections {
		if c.ID == id {
			return c, nil
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if k, ok := r.find(id); ok && k.shown.Origin == chat.FromFlags {
		return connection{}, say.Error(chat.CodeBadRequest, id, say.ConnectionFixed)
	} else if ok {
		return connection{}, say.Error(chat.CodeBadRequest, id, say.ConnectionOfApp)
	}
	return connection{}, gone(id)
}

// save writes a connection down, in place of the one before where there is one. The
// editing lock is held.
func (r *Registry) save(ctx context.Context, s spec, before *connection) (chat.ModelConnection, error) {
	var old connections.KeyRef
	r.mu.Lock()
	key := r.keys[s.ID]
	r.mu.Unlock()
	if before != nil {
		old, s.Key = before.Key, before.Key
		s.inherit(*before)
	}
	if s.key != nil {
		ref, err := r.o.Keys.Put(ctx, *s.key)
		if err != nil {
			return chat.ModelConnection{}, say.Error(chat.CodeInternal, r.o.Redact(s.key.Redact(err.Error())), say.KeyUnkept)
		}
		s.Key, key = ref, s.key
		r.o.Secret(*key)
	}
	if before != nil && (s.key != nil || before.Kind != s.Kind) {
		if err := r.doubtOffers(s.ID); err != nil {
			r.forgotten(s.ID, err)
		}
	}
	r.addFacts(ctx, &s.connection, before, key)

	next := r.file
	next.Connections = slices.Clone(r.file.Connections)
	if i := slices.IndexFunc(next.Connections, func(c connection) bool { return c.ID == s.ID }); i >= 0 {
		next.Connections[i] = s.connection
	} else {
		next.Connections = append(next.Connections, s.connection)
	}
	if err := store.WriteJSON(r.path(), next); err != nil {
		if s.key != nil {
			_ = r.o.Keys.Delete(ctx, s.Key) // it is nobody's
		}
		return chat.ModelConnection{}, say.Error(chat.CodeInternal, err.Error(), say.DataUnusable, "path", r.o.Dir)
	}
	r.mu.Lock()
	r.file, r.keys[s.ID] = next, key
	if before == nil || before.BaseURL != s.BaseURL || before.Kind != s.Kind {
		delete(r.asked, s.ID)
	}
	r.mu.Unlock()
	if s.key != nil {
		if err := r.o.Keys.Delete(ctx, old); err != nil {
			r.forgotten(s.ID, err)
		}
	}
	if s.Kind == chat.KindLocal && key != nil {
		r.ask(ctx, s.ID, s.begin(key).connection)
	}
	r.apply()
	return r.Get(s.ID)
}

// Settle moves keys that are in the file into the keyring, where that can be asked. The
// caller is the only one who changes the data folder.
func (r *Registry) Settle(ctx context.Context) error {
	r.editing.Lock()
	defer r.editing.Unlock()
	next := r.file
	next.Connections = slices.Clone(r.file.Connections)
	var moved []connections.KeyRef
	var errs error
	for i, c := range next.Connections {
		ref, err := r.o.Keys.Rehouse(ctx, c.Key)
		errs = errors.Join(errs, err)
		if ref != c.Key {
			next.Connections[i].Key = ref
			moved = append(moved, c.Key)
		}
	}
	if len(moved) == 0 {
		return errs
	}
	if err := store.WriteJSON(r.path(), next); err != nil {
		return errors.Join(errs, err) // the new ones are nobody's: Tidy takes them out
	}
	r.mu.Lock()
	r.file = next
	r.mu.Unlock()
	for _, ref := range moved {
		errs = errors.Join(errs, r.o.Keys.Delete(ctx, ref))
	}
	return errs
}

// Remove forgets a connection and its key.
func (r *Registry) Remove(ctx context.Context, id string) error {
	r.editing.Lock()
	defer r.editing.Unlock()
	c, err := r.saved(id)
	if err != nil {
		return err
	}
	next := r.file
	next.Connections = slices.DeleteFunc(slices.Clone(r.file.Connections), func(c connection) bool { return c.ID == id })
	if strings.HasPrefix(next.Default, id+"/") {
		next.Default = ""
	}
	if err := store.WriteJSON(r.path(), next); err != nil {
		return say.Error(chat.CodeInternal, err.Error(), say.DataUnusable, "path", r.o.Dir)
	}
	r.mu.Lock()
	r.file = next
	delete(r.keys, id)
	delete(r.asked, id)
	r.mu.Unlock()
	if err := r.o.Keys.Delete(ctx, c.Key); err != nil {
		r.forgotten(id, err)
	}
	if err := r.dropOffers(id); err != nil {
		r.forgotten(id, err)
	}
	r.apply()
	return nil
}

// SetDefault makes a route the default; "" is the first one.
func (r *Registry) SetDefault(route string) error {
	r.editing.Lock()
	defer r.editing.Unlock()
	r.mu.Lock()
	there := route == "" || slices.ContainsFunc(r.all(), func(k known) bool {
		return slices.ContainsFunc(k.shown.Models, func(m chat.ModelInfo) bool { return m.Route == route })
	})
	r.mu.Unlock()
	if !there {
		return say.Error(chat.CodeModelUnavailable, "", say.DefaultUnknown, "model", route)
	}
	next := r.file
	next.Default = route
	if err := store.WriteJSON(r.path(), next); err != nil {
		return say.Error(chat.CodeInternal, err.Error(), say.DataUnusable, "path", r.o.Dir)
	}
	r.mu.Lock()
	r.file = next
	r.mu.Unlock()
	r.apply()
	return nil
}

// newID makes an id of the connection's name that no other has.
func (r *Registry) newID(c connection) string {
	base := slug(c.Name)
	if base == "" {
		base = string(c.Kind)
	}
	taken := func(id string) bool {
		return slices.Contains(reserved, id) || strings.HasPrefix(id, appPrefix) ||
			slices.ContainsFunc(r.file.Connections, func(c connection) bool { return c.ID == id })
	}
	id := base
	for n := 2; taken(id); n++ {
		id = base + "-" + strconv.Itoa(n)
		if strings.HasPrefix(base, appPrefix) {
			id = "my-" + id
		}
	}
	return id
}

// slug makes an id of a name: its letters and digits of ASCII, at most 40.
func slug(name string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(name) {
		switch {
		case b.Len() >= 40:
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.TrimSuffix(b.String(), "-")
}
