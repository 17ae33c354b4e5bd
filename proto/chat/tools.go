package chat

// ToolSettings is what the person chose under Settings → Tools: the body of GET and
// the answer of PUT /api/agent/tools.
type ToolSettings struct {
	WebSearch WebSearch `json:"webSearch"`
	// WebWithoutAsking lets the assistant search the web and open pages without a
	// question.
	WebWithoutAsking bool `json:"webWithoutAsking"`
	// Custom are the tools of the person's own, by name.
	Custom []CustomTool `json:"custom"`
}

// CustomKind is what a tool of the person's own is.
type CustomKind string

// KindServer is an MCP server: the agent has its tools as mcp__custom-<name>__<tool>.
const KindServer CustomKind = "server"

// CustomTool is a tool of the person's own.
type CustomTool struct {
	ID   string     `json:"id"` // its name
	Kind CustomKind `json:"kind"`
	On   bool       `json:"on"`
	// A server is reached by its address (URL, streamable HTTP), or is a program that is
	// started without a shell (Command and Args, stdio).
	URL     string   `json:"url,omitempty"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	// Values are the names of the headers that go to the address, or of the variables that
	// the program has. What they hold is nowhere to be read.
	Values []string `json:"values,omitempty"`
	// Warning is said of a key that seems to be in its address or an argument, where it
	// does not belong.
	Warning *Sentence `json:"warning,omitempty"`
}

// CustomToolPatch is the body of POST /api/agent/tools/custom, where Kind and Name are
// needed, and of PATCH /api/agent/tools/custom/{id}, where they do not change; nil leaves
// as it is.
type CustomToolPatch struct {
	Kind    CustomKind `json:"kind,omitempty"`
	Name    string     `json:"name,omitempty"` // 1 to 25 small letters and digits, with single dashes between
	On      *bool      `json:"on,omitempty"`   // a new one is on
	URL     *string    `json:"url,omitempty"`
	Command *string    `json:"command,omitempty"`
	Args    *[]string  `json:"args,omitempty"`
	// Values are headers or variables by name; "" forgets one.
	Values map[string]string `json:"values,omitempty"`
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
