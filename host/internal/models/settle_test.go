package models

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zalando/go-keyring"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/proto/chat"
)

// ring is a keyring in memory that can be locked.
type ring struct {
	mu      sync.Mutex
	locked  bool
	entries map[string]string
}

func (r *ring) do(f func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.locked {
		return errors.New("it is locked")
	}
	return f()
}

func (r *ring) Set(_, account, secret string) error {
	return r.do(func() error { r.entries[account] = secret; return nil })
}

func (r *ring) Get(_, account string) (secret string, err error) {
	err = r.do(func() error {
		if secret = r.entries[account]; secret == "" {
			return keyring.ErrNotFound
		}
		return nil
	})
	return secret, err
}

func (r *ring) Delete(_, account string) error {
	return r.do(func() error { delete(r.entries, account); return nil })
}

// A key that went into the file while the keyring was locked is told as one of the file,
// and is in the keyring after the next start with that open.
func TestSettle(t *testing.T) {
	r := &ring{locked: true, entries: map[string]string{}}
	dir := t.TempDir()
	start := func() *Registry {
		keys := connections.NewKeyStore(r, filepath.Join(dir, "keys.json"))
		keys.Probe(t.Context())
		registry, err := Open(t.Context(), Options{Dir: dir, Keys: keys})
		if err != nil {
			t.Fatal(err)
		}
		return registry
	}
	type seen struct {
		keysIn, keyIn chat.KeyPlace
		ready         bool
		entries       int
	}
	look := func(of *Registry) seen {
		all := of.List()
		return seen{all.KeysIn, all.Connections[0].KeyIn, all.Connections[0].Ready, len(r.entries)}
	}
	w := start()
	spec := chat.ConnectionSpec{Kind: chat.KindOpenAI, BaseURL: "http://127.0.0.1:9", Key: text(secret), Models: []chat.ModelSpec{{ID: "m", ContextWindow: 9000}}}
	if _, err := w.Add(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	var got []seen
	got = append(got, look(w))
	r.locked = false
	w = start()
	got = append(got, look(w))
	if err := w.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	got = append(got, look(w), look(start()))
	ring := seen{chat.KeyInKeyring, chat.KeyInKeyring, true, 1}
	want := []seen{{chat.KeyInFile, chat.KeyInFile, true, 0}, {chat.KeyInFile, chat.KeyInFile, true, 0}, ring, ring}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(seen{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	noSecret(t, dir)
}
