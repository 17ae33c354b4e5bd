package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"strata.dev/bridge/proto/abi"
)

// op is a row of a manifest's table whose default keeps its bytes.
type op struct {
	abi.Op
	Default json.RawMessage `json:"default"`
}

func (o op) grants(kind string) bool { return slices.Contains(o.Effects, kind) }

// fallback is the row's default; nil when it has none.
func (o op) fallback() []byte {
	if string(o.Default) == "null" {
		return nil
	}
	return slices.Clone(o.Default)
}

// tables are a module's op tables by plugin name.
type tables map[string]map[string]op

// parseManifest reads what describe pushed.
func parseManifest(head []byte) (abi.Manifest, tables, error) {
	var public abi.Manifest
	if err := json.Unmarshal(head, &public); err != nil {
		return public, nil, fmt.Errorf("reading the manifest: %w", err)
	}
	var raw struct {
		Plugins []struct {
			Name string `json:"name"`
			Ops  []op   `json:"ops"`
		} `json:"plugins"`
	}
	if err := json.Unmarshal(head, &raw); err != nil {
		return public, nil, fmt.Errorf("reading the manifest: %w", err)
	}
	all := tables{}
	for _, p := range raw.Plugins {
		all[p.Name] = map[string]op{}
		for _, o := range p.Ops {
			all[p.Name][o.Name] = o
		}
	}
	return public, all, nil
}

// isHead tells whether b may travel as a head: nothing, or JSON in UTF-8.
func isHead(b []byte) bool {
	return len(b) == 0 || utf8.Valid(b) && json.Valid(b)
}
