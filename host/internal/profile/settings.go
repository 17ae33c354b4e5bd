// Package profile generates what the Harness starts from: the profile "strata"
// with its patch layer, and the agent preset "strata". Equal settings give equal
// bytes. A person's own layers, cordis.patch.yml and settings.yaml in the home,
// are never touched and apply after ours.
package profile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"strata.dev/bridge/host/internal/harness"
)

// Name is that of the profile and of the agent preset.
const Name = "strata"

// Settings are what the generated files depend on.
type Settings struct {
	// Standard is the text of the Harness's own standard agent preset (ReadStandard), which
	// also tells the generation: where presets are files of the home, or rows.
	Standard []byte
	Plugins  Plugins
	// Providers are the model routes; the first model of the first one is the
	// default for sessions that choose none.
	Providers []Provider
	// MaxHelpers bounds the helpers of a chat that work at once: those that a workflow
	// runs, by the Harness; those started one by one, by the gate, and by newer Harnesses
	// too (HelperLimit). 0 leaves it to the Harness.
	MaxHelpers int
	// ModelSelection says that the Harness's own subagent tool can take a model
	// (HasModelSelection).
	ModelSelection bool
	// Headroom says that the Harness's compaction engine keeps room for a summary
	// (HasHeadroom).
	Headroom bool
	// HelperLimit says that the Harness bounds the helpers of a chat itself
	// (HasHelperLimit).
	HelperLimit bool
	// Off are the rows of the standard agent preset that the person turned off, by id
	// ("tool-web"). One that is not there is an error.
	Off []string
	// Servers are the MCP servers whose tools the agent has, where the Harness connects
	// any (HasServers).
	Servers []Server
}

// Plugins are our own rows. The zero value mounts none.
type Plugins struct {
	// Shim is the folder of gate.mjs, fence.mjs and the other rows; absolute.
	Shim string
	// Wasm is strata.wasm, SHA256 its hash in hex: the gate refuses other bytes.
	Wasm   string
	SHA256 string
	// Store is the folder of the plugins' stores; absolute.
	Store string
	// Secrets are absolute paths that no call may touch unasked.
	Secrets []string
	// Web is how web access is asked about; the zero value asks and names no engine.
	Web Web
	// Search is who searches the web; the zero value is DuckDuckGo.
	Search Search
}

// Search is the service that searches the web.
type Search struct {
	Service string // one of abi.SearchServices by its id; "" is the first
	// Origin is the address of the key proxy that stands for the service's API. Without
	// it, as without a key, the service is not asked, and DuckDuckGo is.
	Origin string
	// KeyEnv names the variable that holds the proxy's token; never a key.
	KeyEnv string
	// Stock says that the Harness has a search of its own for the service (HasDeepSeek).
	Stock bool
}

// Web is how web access is asked about in Manual, and in a task, where nobody is there
// to ask.
type Web struct {
	Engine  string // who gets the search words, by the name a person knows
	SkipAsk bool   // the person lets the assistant search without asking
}

// API is the protocol by which the Harness asks a provider, in the Harness's words.
type API string

// The protocols.
const (
	Completions API = "openai-completions" // of OpenAI; what an empty one means
	Messages    API = "anthropic-messages"
)

// Thinking is how a provider is told a thinking level, in the Harness's words.
type Thinking string

// The ways; an empty one is the protocol's own.
const (
	// ThinkingTemplate hands it to the model's chat template, as
	// chat_template_kwargs {enable_thinking, reasoning_effort}.
	ThinkingTemplate Thinking = "chat-template"
	// ThinkingOpenRouter is OpenRouter's reasoning {effort}.
	ThinkingOpenRouter Thinking = "openrouter"
)

// Provider is one route to models.
type Provider struct {
	ID      string // as in provider/model
	Name    string // shown; "" is the ID
	BaseURL string // of the key proxy
	// KeyEnv names the variable that holds the proxy's token; never a key.
	KeyEnv string
	API    API
	Models []Model
	Retry  Retry
	Local  bool // it runs on a computer of the person's own
	// MaxHelpers is as Settings.MaxHelpers for a chat on one of its models; 0 is the same.
	MaxHelpers int

	Thinking Thinking
	// Effort is the thinking level of a chat that chooses none; "" is the server's own.
	Effort string
	// MaxTokens says that the server knows the output's limit as max_tokens, which
	// OpenAI calls outdated.
	MaxTokens bool
	// WantsReasoning says that the server refuses answers of the model that come back
	// to it without the thinking before them.
	WantsReasoning bool
}

// Model is one model of a provider.
type Model struct {
	ID            string
	Name          string // shown; "" is the ID
	ContextWindow int64  // in tokens; 0 is not known, the Harness assumes 262,144
	MaxOutput     int64  // most that it can answer, in tokens; 0 is not known
	Images        bool   // it reads pictures
	// Efforts are the thinking levels by the Harness's names and what the wire calls
	// them, in order; nil leaves the provider's own behaviour: none is sent.
	Efforts []Effort
	// CacheMarks says that the server caches what is marked, as Anthropic's models want.
	CacheMarks bool
	Price      *Price // nil: not known
}

// Effort is a thinking level; Wire "" sends none.
type Effort struct{ Level, Wire string }

// Price is what a million tokens cost, in US dollars.
type Price struct {
	Input     float64 `json:"input"`
	Output    float64 `json:"output"`
	CacheRead float64 `json:"cacheRead,omitempty"` // 0: not known
}

// Route is a model that a chat or a helper can be put on, as a person knows it.
type Route struct {
	ID            string // provider/model
	Provider      string
	Model         string
	Name          string // of the model, as shown
	Connection    string // name of the provider, as shown
	Local         bool
	ContextWindow int64 // in tokens; 0 is not known
	Images        bool
	Efforts       []string // thinking levels, by the Harness's names; nil: none can be chosen
	Price         *Price   // nil: not known
}

// Routes are all models that the app can reach, in order; the first one is the default.
func (s Settings) Routes() []Route {
	var out []Route
	for _, p := range s.Providers {
		for _, m := range p.Models {
			r := Route{
				ID: p.ID + "/" + m.ID, Provider: p.ID, Model: m.ID, Name: cmp.Or(m.Name, m.ID), Connection: cmp.Or(p.Name, p.ID),
				Local: p.Local, ContextWindow: m.ContextWindow, Images: m.Images, Price: m.Price,
			}
			for _, e := range m.Efforts {
				r.Efforts = append(r.Efforts, e.Level)
			}
			out = append(out, r)
		}
	}
	return out
}

// Retry says how the Harness tries a failed request again. The zero value is the
// Harness's own: five retries within 15.5 s.
type Retry struct {
	Max          int
	InitialDelay int // milliseconds
	MaxDelay     int // milliseconds
}

// ReadStandard reads the component's standard agent preset: its file, or the patch that
// declares it as a row in newer versions.
func ReadStandard(c harness.Component) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(c.Dir, "config", "agent-presets", "standard", "agent.cordis.yml"))
	if errors.Is(err, fs.ErrNotExist) {
		data, err = readPackage(c, "dsh-web-app", "presets", "standard.patch.yml")
	}
	if err != nil {
		return nil, fmt.Errorf("reading the standard agent preset: %w", err)
	}
	return data, nil
}

// HashFile gives the SHA-256 of a file in hex.
func HashFile(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("hashing plugin: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

func (s Settings) check() error {
	seen := map[string]bool{}
	for _, p := range s.Providers {
		if p.ID == "" || p.BaseURL == "" || len(p.Models) == 0 || seen[p.ID] {
			return fmt.Errorf("provider %q: needs an id of its own, a base URL and a model", p.ID)
		}
		seen[p.ID] = true
		// The Harness keeps names with KEY in them out of the agent's shell.
		if p.KeyEnv != "" && !strings.Contains(strings.ToUpper(p.KeyEnv), "KEY") {
			return fmt.Errorf("provider %q: the variable %s would be seen in the agent's shell", p.ID, p.KeyEnv)
		}
		ids := map[string]bool{}
		for _, m := range p.Models {
			if m.ID == "" || ids[m.ID] {
				return fmt.Errorf("provider %q: model %q needs an id of its own", p.ID, m.ID)
			}
			ids[m.ID] = true
		}
	}
	if name := s.Plugins.Search.KeyEnv; name != "" && !strings.Contains(strings.ToUpper(name), "KEY") {
		return fmt.Errorf("search: the variable %s would be seen in the agent's shell", name)
	}
	if err := s.checkServers(); err != nil {
		return err
	}
	if p := s.Plugins; p.Shim != "" && (p.Wasm == "" || len(p.SHA256) != 2*sha256.Size) {
		return fmt.Errorf("plugins: the gate needs its file and the file's SHA-256")
	}
	return nil
}
