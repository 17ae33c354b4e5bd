package models

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

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
}

// model is what the person said of it, and what the provider's list told when it was
// read last.
type model struct {
	chat.ModelSpec
	Listed *chat.ModelOffer `json:"listed,omitempty"`
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

func (r *Registry) dropOffers(id string) error {
	err := os.Remove(r.offersPath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
