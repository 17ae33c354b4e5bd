package models

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"time"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/connections/catalog"
	"strata.dev/bridge/host/internal/connections/probe"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/proto/chat"
)

func (r *Registry) forgotten(id string, err error) {
	r.o.Log.Warn("something of a model connection was not forgotten", zap.String("connection", id), zap.Error(err))
}

// Try tests what a person says of a connection, and saves nothing.
func (r *Registry) Try(ctx context.Context, said chat.ConnectionSpec) (chat.ModelTest, error) {
	s, err := check(said)
	if err != nil {
		return chat.ModelTest{}, err
	}
	if s.key == nil {
		s.key = &connections.Key{}
	}
	r.o.Secret(*s.key)
	return r.test(ctx, s.begin(s.key).connection), nil
}

// Test tests a connection. A key that could not be read is looked for again.
func (r *Registry) Test(ctx context.Context, id string) (chat.ModelTest, error) {
	r.mu.Lock()
	k, ok := r.find(id)
	key, saved := r.keys[id]
	r.mu.Unlock()
	if !ok {
		return chat.ModelTest{}, gone(id)
	}
	if saved && key == nil {
		r.editing.Lock()
		c, err := r.saved(id)
		r.editing.Unlock()
		if err != nil {
			return chat.ModelTest{}, err
		}
		r.readKey(ctx, c)
		r.apply()
		r.mu.Lock()
		k, ok = r.find(id)
		key = r.keys[id]
		r.mu.Unlock()
		if !ok || key == nil {
			return chat.ModelTest{Sentence: say.Sentence(say.ConnectionKeyLost), Models: []chat.ModelOffer{}}, nil
		}
	}
	t := r.test(ctx, k.connection)
	if k.connection.Kind == chat.KindLocal {
		r.Look()
	} else if t.OK && saved {
		r.keepOffers(k.connection, t.Models)
	}
	return t, nil
}

// test asks a server for its models, which needs the key where it needs one at all.
func (r *Registry) test(ctx context.Context, c connections.Connection) chat.ModelTest {
	found, err := r.ofServer(ctx, c)
	t := chat.ModelTest{OK: err == nil, Models: found}
	if err != nil {
		t.Sentence, t.Details, t.Models = r.unread(c, err)
		return t
	}
	t.Sentence = say.Sentence(say.ConnectionWorks, "count", strconv.Itoa(len(found)))
	return t
}

// ofServer asks a server for its list.
func (r *Registry) ofServer(ctx context.Context, c connections.Connection) ([]chat.ModelOffer, error) {
	limit := r.o.Limit
	if c.Kind != chat.KindLocal {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return catalog.Fetch(ctx, r.client, c)
	}
	ctx, cancel := context.WithTimeout(ctx, min(limit, localLimit))
	defer cancel()
	found, err := probe.Ask(ctx, r.client, c)
	if err != nil {
		return nil, err
	}
	out := make([]chat.ModelOffer, 0, len(found.Models))
	for _, m := range found.Models {
		out = append(out, chat.ModelOffer{ID: m.ID, ContextWindow: m.ContextWindow, Images: m.Images})
	}
	return out, nil
}

// unread says in plain words why a list could not be read.
func (r *Registry) unread(c connections.Connection, err error) (chat.Sentence, string, []chat.ModelOffer) {
	s := say.Sentence(say.ModelsUnread)
	switch {
	case c.Kind == chat.KindLocal:
		s = unlisted(c, err)
	case connections.KeyRefused(err):
		s = say.Sentence(say.ModelKeyRefused)
	}
	return s, r.o.Redact(c.Key.Redact(err.Error())), []chat.ModelOffer{}
}

// unlisted says in plain words why a local server did not give its list.
func unlisted(c connections.Connection, err error) chat.Sentence {
	var refused *connections.StatusError
	key := say.LocalDown
	switch {
	case errors.Is(err, probe.ErrLoading):
		key = say.LocalLoading
	case connections.KeyRefused(err):
		return say.Sentence(say.ModelKeyRefused)
	case errors.As(err, &refused), errors.Is(err, probe.ErrNoList):
		key = say.LocalOdd
	}
	return say.Sentence(key, "server", c.Upstream.Host)
}

// Offers gives what a connection's server has. A list that was read a while ago is read
// again, and one that was read just now where again says so.
func (r *Registry) Offers(ctx context.Context, id string, again bool) (chat.ModelOffers, error) {
	r.mu.Lock()
	k, ok := r.find(id)
	r.mu.Unlock()
	if !ok {
		return chat.ModelOffers{}, gone(id)
	}
	c := k.connection
	known := r.cached(c)
	if known != nil && !again && !known.Doubted && time.Since(time.UnixMilli(known.ReadAt)) < r.o.Fresh {
		return chat.ModelOffers{Models: known.Models, ReadAt: known.ReadAt}, nil
	}
	found, err := r.ofServer(ctx, c)
	if err != nil {
		out := chat.ModelOffers{}
		out.Sentence, out.Details, out.Models = r.unread(c, err)
		if known != nil {
			out.Models, out.ReadAt = known.Models, known.ReadAt
		}
		return out, nil
	}
	return chat.ModelOffers{Models: found, ReadAt: r.keepOffers(c, found)}, nil
}

// keepOffers keeps a list that was just read, and takes what it says of the person's
// models over.
func (r *Registry) keepOffers(c connections.Connection, found []chat.ModelOffer) (readAt int64) {
	o := offers{BaseURL: c.Base(), ReadAt: time.Now().UnixMilli(), Models: found}
	r.editing.Lock()
	defer r.editing.Unlock()
	i := slices.IndexFunc(r.file.Connections, func(s connection) bool {
		return s.ID == c.ID && s.Kind == c.Kind && sameServer(s.BaseURL, c)
	})
	if i < 0 { // removed or changed meanwhile, or not a saved one
		return o.ReadAt
	}
	if err := store.WriteJSON(r.offersPath(c.ID), o); err != nil {
		r.o.Log.Warn("a list of models was not kept", zap.String("connection", c.ID), zap.Error(err))
	}
	if c.Kind == chat.KindLocal {
		return o.ReadAt
	}
	next := r.file
	next.Connections = slices.Clone(r.file.Connections)
	next.Connections[i].Models = slices.Clone(next.Connections[i].Models)
	if !describe(next.Connections[i].Models, found) {
		return o.ReadAt
	}
	if err := store.WriteJSON(r.path(), next); err != nil {
		r.o.Log.Warn("what a list says of models was not kept", zap.String("connection", c.ID), zap.Error(err))
	}
	r.mu.Lock()
	r.file = next
	r.mu.Unlock()
	r.apply()
	return o.ReadAt
}

// describe adds to models what a list says of them, and tells whether that is news.
func describe(all []model, found []chat.ModelOffer) (news bool) {
	for i, m := range all {
		j := slices.IndexFunc(found, func(o chat.ModelOffer) bool { return o.ID == m.ID })
		if j < 0 || m.Listed != nil && reflect.DeepEqual(*m.Listed, found[j]) {
			continue
		}
		all[i].Listed, news = &found[j], true
	}
	return news
}

// addFacts adds what is known of a connection's models: from the list that was read last,
// or else from one that is read now. Without one they are saved as the person says.
func (r *Registry) addFacts(ctx context.Context, c, before *connection, key *connections.Key) {
	if c.Kind == chat.KindLocal || len(c.Models) == 0 {
		return
	}
	same := before != nil && before.BaseURL == c.BaseURL && before.Kind == c.Kind
	unknown := 0
	for i, m := range c.Models {
		if same {
			if j := slices.IndexFunc(before.Models, func(old model) bool { return old.ID == m.ID }); j >= 0 {
				c.Models[i].Listed = before.Models[j].Listed
			}
		}
		if c.Models[i].Listed == nil {
			unknown++
		}
	}
	if unknown == 0 || key == nil {
		return
	}
	at := c.begin(key).connection
	if known := r.cached(at); known != nil {
		describe(c.Models, known.Models)
	}
	if !slices.ContainsFunc(c.Models, func(m model) bool { return m.Listed == nil }) {
		return
	}
	found, err := r.ofServer(ctx, at)
	if err != nil {
		return // the page says what is asked for
	}
	describe(c.Models, found)
	if err := store.WriteJSON(r.offersPath(c.ID), offers{BaseURL: at.Base(), ReadAt: time.Now().UnixMilli(), Models: found}); err != nil {
		r.o.Log.Warn("a list of models was not kept", zap.String("connection", c.ID), zap.Error(err))
	}
}
