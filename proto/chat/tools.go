package chat

// ToolSettings is what the person chose under Settings → Tools: the body of GET and
// the answer of PUT /api/agent/tools.
type ToolSettings struct {
	WebSearch WebSearch `json:"webSearch"`
	// WebWithoutAsking lets the assistant search the web and open pages without a
	// question.
	WebWithoutAsking bool `json:"webWithoutAsking"`
}

// WebSearch is who searches the web.
type WebSearch struct {
	Service  string          `json:"service"` // the id of one of Services
	KeySet   bool            `json:"keySet"`  // a key for it is saved; the key itself is nowhere to be read
	Services []SearchService `json:"services"`
}

// SearchService is a service that can be chosen.
type SearchService struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	NeedsKey bool   `json:"needsKey"` // without its key DuckDuckGo is asked in its place
	KeySet   bool   `json:"keySet"`
}

// ToolsPatch is the body of PUT /api/agent/tools; nil leaves as it is.
type ToolsPatch struct {
	WebSearch        *WebSearchPatch `json:"webSearch,omitempty"`
	WebWithoutAsking *bool           `json:"webWithoutAsking,omitempty"`
}

// WebSearchPatch changes who searches the web.
type WebSearchPatch struct {
	Service *string `json:"service,omitempty"`
	Key     *string `json:"key,omitempty"` // of the service that is chosen then; "" forgets it
}
