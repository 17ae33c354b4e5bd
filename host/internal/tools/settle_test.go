package tools

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zalando/go-keyring"

	"strata.dev/bridge/host/internal/connections"
)

// ring is a keyring in memory: secrets by account.
type ring map[string]string

func (r ring) Set(_, account, secret string) error { r[account] = secret; return nil }

func (r ring) Get(_, account string) (string, error) {
	if secret, ok := r[account]; ok {
		return secret, nil
	}
	return "", keyring.ErrNotFound
}

func (r ring) Delete(_, account string) error { delete(r, account); return nil }

// Keys in the file, of a search service and of a server, are in the keyring after a start
// with one.
func TestKeysMoveIntoTheKeyring(t *testing.T) {
	const value = "server-secret-4567"
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	s := open(t, path)
	change(t, s, service("exa"), withKey(key))
	p := program("notes")
	p.Values = map[string]string{"TOKEN": value}
	if err := s.Add(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	r := ring{}
	withRing := func() *Settings {
		s, err := Open(t.Context(), path, connections.NewKeyStore(r, stored(path).Path()))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if in := holding(t, dir, key); in != "keys.json" {
		t.Errorf("before: in %q", in)
	}
	for range 2 { // the second time there is nothing to do
		if err := withRing().Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if in := holding(t, dir, key); in != "" || len(r) != 2 {
			t.Errorf("after: in %q, %d in the keyring", in, len(r))
		}
	}
	again := withRing()
	var h heard
	again.Choice().Servers[0].Register(&h)
	if text(again.Choice().Search().Key) != key || !cmp.Equal([]string(h), []string{value}) {
		t.Errorf("told %s, %d of the server", told(again), len(h))
	}
}
