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
}

// section is the file's part "tools".
type section struct {
	WebSearch struct {
		Service string            `json:"service,omitempty"`
		Keys    map[string]string `json:"keys,omitempty"` // by service
	} `json:"webSearch"`
	WebWithoutAsking bool     `json:"webWithoutAsking,omitempty"`
	Custom           []custom `json:"custom,omitempty"`
}

// read gives what is in the file. A key that is none is left out, and so is a server that
// is none: the person is asked for one again.
func (f *file) read() (Choice, error) {
	var parts map[string]json.RawMessage
	err := store.ReadJSON(f.path, &parts)
	if errors.Is(err, fs.ErrNotExist) {
		return Choice{}, nil
	}
	var v int
	var s section
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
		return Choice{}, fmt.Errorf("reading the settings: %w", err)
	}
	f.rest = parts
	c := Choice{Service: s.WebSearch.Service, WebWithoutAsking: s.WebWithoutAsking}
	for service, text := range s.WebSearch.Keys {
		if key, err := connections.SearchKey(text); err == nil {
			if c.Keys == nil {
				c.Keys = map[string]connections.Key{}
			}
			c.Keys[service] = key
		}
	}
	for _, one := range s.Custom {
		if server, ok := one.server(); ok {
			c.Servers = append(c.Servers, server)
		}
	}
	return c, nil
}

// write puts c into the file, which keeps its other parts.
func (f *file) write(c Choice) error {
	var s section
	s.WebSearch.Service, s.WebWithoutAsking = c.Service, c.WebWithoutAsking
	for service, key := range c.Keys {
		if s.WebSearch.Keys == nil {
			s.WebSearch.Keys = map[string]string{}
		}
		s.WebSearch.Keys[service] = key.Save()
	}
	for _, server := range c.Servers {
		s.Custom = append(s.Custom, saved(server))
	}
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
