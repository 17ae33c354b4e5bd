package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// signed is the part of the manifest that is ours; the Harness passes over it.
type signed struct {
	Tools string `json:"toolsSignature,omitempty"`
}

// Signature names what the files compose: tools, plugins and their bytes, presets,
// models. Equal signatures need no restart of the Harness, others do. It is 64
// hexadecimal digits; "" for files that Generate has not made.
func (f Files) Signature() string {
	var manifest struct{ Strata signed }
	if json.Unmarshal(f[ManifestFile], &manifest) != nil {
		return ""
	}
	return manifest.Strata.Tools
}

// unaddressed are the settings without the addresses of the key proxy: it has another
// one at each start of the host, and what it stands for does not change with it.
func (s Settings) unaddressed() Settings {
	s.Providers = slices.Clone(s.Providers)
	for i := range s.Providers {
		s.Providers[i].BaseURL = ""
	}
	if s.Plugins.Search.Origin != "" { // whether there is one does count
		s.Plugins.Search.Origin = "http://key.proxy"
	}
	s.Servers = slices.Clone(s.Servers)
	for i := range s.Servers {
		s.Servers[i] = s.Servers[i].unaddressed()
	}
	return s
}

// signature hashes files, each with its name and length.
func signature(f Files) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(f)) {
		fmt.Fprintf(h, "%s\n%d\n%s", name, len(f[name]), f[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}
