package models

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/proto/chat"
)

// ErrNewer says that a newer version has written the file of the connections.
var ErrNewer = errors.New("a newer Strata has written the model connections")

// file is what is kept of the connections: never a key.
type file struct {
	Version     int          `json:"version"`
	Default     string       `json:"default,omitempty"` // route; "" is the first
	Connections []connection `json:"connections"`
	Rest        store.Rest   `json:"-"`
}

const fileVersion = 1

// connection is a saved one.
type connection struct {
	ID      string             `json:"id"`
	Kind    chat.ModelKind     `json:"kind"`
	Name    string             `json:"name,omitempty"`
	BaseURL string             `json:"baseUrl"`
	Key     connections.KeyRef `json:"key,omitzero"`
	Slots   int                `json:"slots,omitempty"`
	Models  []model            `json:"models,omitempty"`
	Rest    store.Rest         `json:"-"`
}

// model is what the person said of it, and what the provider's list told when it was
// read last.
type model struct {
	chat.ModelSpec
	Listed *chat.ModelOffer `json:"listed,omitempty"`
	Rest   store.Rest       `json:"-"`
}

// The same without their methods.
type (
	plainFile       file
	plainConnection connection
	plainModel      model
)

// UnmarshalJSON and MarshalJSON keep what another version of the host wrote besides.
func (f *file) UnmarshalJSON(data []byte) error { return f.Rest.Read(data, (*plainFile)(f)) }
func (f file) MarshalJSON() ([]byte, error)     { return f.Rest.Write(plainFile(f)) }

func (c *connection) UnmarshalJSON(data []byte) error {
	return c.Rest.Read(data, (*plainConnection)(c))
}
func (c connection) MarshalJSON() ([]byte, error) { return c.Rest.Write(plainConnection(c)) }

func (m *model) UnmarshalJSON(data []byte) error { return m.Rest.Read(data, (*plainModel)(m)) }
func (m model) MarshalJSON() ([]byte, error)     { return m.Rest.Write(plainModel(m)) }

// inherit takes over what another version of the host wrote of the connection before.
func (c *connection) inherit(before connection) {
	c.Rest = before.Rest
	for i, m := range c.Models {
		if j := slices.IndexFunc(before.Models, func(old model) bool { return old.ID == m.ID }); j >= 0 {
			c.Models[i].Rest = before.Models[j].Rest
		}
	}
}

func (r *Registry) path() string { return filepath.Join(r.o.Dir, "models.json") }

func (r *Registry) load() (file, error) {
	f := file{Version: fileVersion}
	err := store.ReadJSON(r.path(), &f)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return file{}, err
	case f.Version > fileVersion:
		return file{}, ErrNewer
	}
	return f, nil
}

// offers is a provider's list as it was read last.
type offers struct {
	BaseURL string            `json:"baseUrl"`
	ReadAt  int64             `json:"readAt"` // Unix milliseconds
	Models  []chat.ModelOffer `json:"models"`
	Doubted bool              `json:"doubted,omitempty"` // it was another key's: it is read again, and stays while it cannot be
}

func (r *Registry) offersPath(id string) string {
	return filepath.Join(r.o.Dir, "model-lists", id+".json")
}

// cached is the list of a connection's server that was read last; nil where none was.
func (r *Registry) cached(c connections.Connection) *offers {
	var o offers
	if store.ReadJSON(r.offersPath(c.ID), &o) != nil || o.BaseURL != c.Base() {
		return nil
	}
	return &o
}

// doubtOffers has a list read again, however new it is.
func (r *Registry) doubtOffers(id string) error {
	var o offers
	if err := store.ReadJSON(r.offersPath(id), &o); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return r.dropOffers(id)
	}
	o.Doubted = true
	return store.WriteJSON(r.offersPath(id), o)
}

func (r *Registry) dropOffers(id string) error {
	err := os.Remove(r.offersPath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
