package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/store"
)

// version of the settings file's shape.
const version = 1

// ErrNewer says that a newer Strata has written the settings.
var ErrNewer = errors.New("it was written by a newer Strata")

// file is the host's settings file: JSON, for the host's user alone. What others keep
// in it besides stays as it is.
type file struct {
	path string
	rest map[string]json.RawMessage // other parts of the file
	part section                    // this one, as it was read
}

// section is the file's part "tools".
type section struct {
	WebSearch        webSearch  `json:"webSearch"`
	WebWithoutAsking bool       `json:"webWithoutAsking,omitempty"`
	Custom           []custom   `json:"custom,omitempty"`
	Rest             store.Rest `json:"-"`
}

type webSearch struct {
	Service string                        `json:"service,omitempty"`
	Kept    map[string]connections.KeyRef `json:"kept,omitempty"` // where the keys are, by service
	Keys    map[string]string             `json:"keys,omitempty"` // keys themselves, as earlier versions had them here
	Rest    store.Rest                    `json:"-"`
}

// The same without their methods.
type (
	plainSection   section
	plainWebSearch webSearch
)

// UnmarshalJSON and MarshalJSON keep what another version of the host wrote besides.
func (s *section) UnmarshalJSON(data []byte) error { return s.Rest.Read(data, (*plainSection)(s)) }
func (s section) MarshalJSON() ([]byte, error)     { return s.Rest.Write(plainSection(s)) }

func (w *webSearch) UnmarshalJSON(data []byte) error { return w.Rest.Read(data, (*plainWebSearch)(w)) }
func (w webSearch) MarshalJSON() ([]byte, error)     { return w.Rest.Write(plainWebSearch(w)) }

// read gives what is in the file: the choice without its keys, and where those are.
func (f *file) read() (Choice, section, error) {
	var parts map[string]json.RawMessage
	var s section
	err := store.ReadJSON(f.path, &parts)
	if errors.Is(err, fs.ErrNotExist) {
		return Choice{}, s, nil
	}
	var v int
	if err == nil && parts["version"] != nil {
		err = json.Unmarshal(parts["version"], &v)
	}
	if err == nil && v > version {
		err = ErrNewer
	}
	if err == nil && parts["tools"] != nil {
		err = json.Unmarshal(parts["tools"], &s)
	}
	if err != nil {
		return Choice{}, s, fmt.Errorf("reading the settings: %w", err)
	}
	f.rest, f.part = parts, s
	return Choice{Service: s.WebSearch.Service, WebWithoutAsking: s.WebWithoutAsking, Servers: s.servers()}, s, nil
}

// write puts c and where its keys are into the file, which keeps its other parts.
func (f *file) write(c Choice, kept, values map[string]connections.KeyRef) error {
	s := f.part
	s.Custom = merged(s.Custom, c.Servers, values)
	s.WebSearch.Service, s.WebWithoutAsking, s.WebSearch.Kept, s.WebSearch.Keys = c.Service, c.WebWithoutAsking, kept, nil
	parts := maps.Clone(f.rest)
	if parts == nil {
		parts = map[string]json.RawMessage{}
	}
	tools, err := json.Marshal(s)
	if err == nil {
		parts["tools"], parts["version"] = tools, json.RawMessage(fmt.Sprint(version))
		err = store.WriteJSON(f.path, parts)
	}
	if err != nil {
		return fmt.Errorf("saving the settings: %w", err)
	}
	f.rest = parts
	return nil
}
