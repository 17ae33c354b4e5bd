package conformance

import "strata.dev/bridge/proto/abi"

// Command is one line to a host side. README.md says which fields each needs.
type Command struct {
	Do       string `json:"do"` // open, call, answer, cancel, close
	Instance string `json:"instance,omitempty"`

	Wasm     string   `json:"wasm,omitempty"`
	SHA256   string   `json:"sha256,omitempty"`
	Plugin   string   `json:"plugin,omitempty"`
	Config   string   `json:"config,omitempty"`
	Store    string   `json:"store,omitempty"`
	Hosts    []string `json:"hosts,omitempty"`
	Real     []string `json:"real,omitempty"`
	Scripted []string `json:"scripted,omitempty"`
	Pages    uint32   `json:"pages,omitempty"`

	Call  string           `json:"call,omitempty"`
	Op    string           `json:"op,omitempty"`
	N     int              `json:"n,omitempty"`
	Head  string           `json:"head,omitempty"` // raw bytes of the head
	Body  []byte           `json:"body,omitempty"` // base64
	Error *abi.EffectError `json:"error,omitempty"`
}

// Event is one line from a host side.
type Event struct {
	On       string           `json:"on"` // opened, refused, effect, aborted, done, failed, log, closed
	Instance string           `json:"instance,omitempty"`
	Call     string           `json:"call,omitempty"`
	Ops      []string         `json:"ops,omitempty"`
	N        int              `json:"n,omitempty"`
	Kind     string           `json:"kind,omitempty"`
	Error    *abi.EffectError `json:"error,omitempty"`
	Head     string           `json:"head,omitempty"`
	Body     []byte           `json:"body,omitempty"`
	Level    string           `json:"level,omitempty"` // debug, info, warn, error
	Message  string           `json:"message,omitempty"`
}

// Host is a host side that speaks the wire.
type Host interface {
	// Send hands over a command; it does not wait for what comes of it.
	Send(Command) error
	// Events is closed after Close, or when the host side has died.
	Events() <-chan Event
	// Close ends the host side and waits for it.
	Close() error
}
