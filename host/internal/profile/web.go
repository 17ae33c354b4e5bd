package profile

import (
	"strata.dev/bridge/host/internal/harness"
	"strata.dev/bridge/proto/abi"
)

// stockSearch is the row, and stockProvider the provider, of the Harness's own search by
// DeepSeek.
const (
	stockSearch   = "web-search-deepseek"
	stockProvider = "deepseek-official"
)

// fetchProvider is ours for pages (shim/search.mjs).
const fetchProvider = "strata"

// HasDeepSeek tells whether the component searches by DeepSeek itself.
func HasDeepSeek(c harness.Component) bool {
	// The rows of every mode. Where they cannot be read, ours searches.
	data, err := readPackage(c, "dsh-base", "cordis.patch.yml")
	if err != nil {
		return false
	}
	doc, err := parseYAML(data)
	if err != nil {
		return false
	}
	items, _ := doc.(list)
	for _, item := range items {
		rows := list{item}
		if m, ok := item.(mapping); ok {
			if inserted, ok := m.get("insert").(list); ok {
				rows = inserted
			}
		}
		for _, r := range rows {
			if m, ok := r.(mapping); ok && m.get("id") == stockSearch {
				return true
			}
		}
	}
	return false
}

// web gives the rows of the Harness's own that say who searches and who reads pages.
// Each is pinned: of several that could, the Harness picks none.
func web(p Plugins) list {
	provider := "strata-" + service(p)
	if !p.usesStock() {
		return list{row("web", mapping{{"searchProvider", provider}, {"fetchProvider", fetchProvider}})}
	}
	return list{
		row("web", mapping{{"searchProvider", stockProvider}, {"fetchProvider", fetchProvider}}),
		mapping{{"id", stockSearch}, {"disabled", false}, {"config", mapping{
			{"apiKeyEnv", p.Search.KeyEnv}, {"baseURL", p.Search.Origin + "/anthropic/v1"},
		}}},
	}
}

// usesStock tells whether the Harness's own provider searches.
func (p Plugins) usesStock() bool {
	return p.Search.Stock && p.Search.Service == abi.ServiceDeepSeek && p.Search.Origin != ""
}

// search is the config of our own row.
func search(p Plugins) mapping {
	out := mapping{{"wasm", p.Wasm}, {"sha256", p.SHA256}, {"service", service(p)}}
	if p.Store != "" {
		out = append(out, field{"store", p.Store})
	}
	if p.Search.Origin != "" {
		out = append(out, field{"origin", p.Search.Origin})
	}
	return out
}

func service(p Plugins) string {
	s, ok := abi.FindSearchService(p.Search.Service)
	if !ok {
		s = abi.SearchServices[0]
	}
	return s.ID
}
