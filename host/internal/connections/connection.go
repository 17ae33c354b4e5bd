// Package connections holds the model connections that the person set up, and the
// key proxy: the Harness gets a token for one launch and an address on this host,
// which puts the real key on the requests. No process that the agent can look at
// ever holds a key.
package connections

import (
	"errors"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"strata.dev/bridge/host/internal/harness"
	"strata.dev/bridge/host/internal/profile"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// Connection is one OpenAI-compatible server and its models.
type Connection struct {
	// ID names it in routes ("id/model") and in the proxy's addresses: lower-case
	// letters, digits and dashes.
	ID string
	// Name is shown; "" is the ID.
	Name string
	// Upstream is the server's base URL, such as https://api.example.com/v1.
	Upstream *url.URL
	// API is what the server speaks where the host talks to it itself; "" is what its
	// address tells.
	API API
	// Key goes to the server; the zero value sends none.
	Key    Key
	Models []Model
	Retry  profile.Retry
	// Slots is how many requests the server works on at once; 0 is not known.
	Slots int
}

// How many helpers of a chat may be at work at once at the least (agent-bridge.txt,
// "Helper agents"): a server of this machine queues what it has no slot for.
const (
	minHelpersLocal = 4
	minHelpersAPI   = 8
)

// MaxHelpers is how many helpers of a chat may be at work at once on the default model's
// server; 0 without any.
func MaxHelpers(all []Connection) int {
	if len(all) == 0 {
		return 0
	}
	least := minHelpersAPI
	host := all[0].Upstream.Hostname()
	if ip, err := netip.ParseAddr(host); host == "localhost" || err == nil && ip.IsLoopback() {
		least = minHelpersLocal
	}
	return max(least, all[0].Slots)
}

// Model is one model of a connection.
type Model struct {
	ID            string
	Name          string // shown; "" is the ID
	ContextWindow int64  // in tokens; 0 is not known
	Images        bool   // it reads pictures
	Efforts       []profile.Effort
}

var connectionID = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ParseUpstream reads a base URL as a person writes it: http or https, with or
// without a slash or the path of the chat route at its end. The error tells in
// plain words what is wrong.
func ParseUpstream(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil:
		return nil, errors.New("it is no address")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("it must begin with http:// or https://")
	case u.Hostname() == "":
		return nil, errors.New("it names no server")
	case u.User != nil:
		return nil, errors.New("it must not hold a user name or password")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, errors.New("it must end before ? and #")
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	path = strings.TrimRight(strings.TrimSuffix(path, "/chat/completions"), "/")
	return url.Parse(u.Scheme + "://" + u.Host + path)
}

// Flags are what the command line says of a connection.
type Flags struct {
	BaseURL string   // --base-url
	Model   string   // --model: the id that the server knows
	More    []string // --model again: others beside it, with its window and abilities
	Name    string   // --model-name: of the first one
	// ContextWindow is --context-window, in tokens; 0 is not known.
	ContextWindow int64
	KeyFile       string // --key-file; "" sends no key
	Images        bool   // --images
	Slots         int    // --slots; 0 is not known
	Efforts       []profile.Effort
	Retry         profile.Retry
}

// FromFlags makes the connection "strata". Warnings are for the person. Errors are
// *chat.Error without any key.
func FromFlags(f Flags) (Connection, []chat.Sentence, error) {
	c := Connection{ID: profile.Name, Retry: f.Retry, Slots: f.Slots, Models: []Model{{
		ID: strings.TrimSpace(f.Model), Name: f.Name, ContextWindow: f.ContextWindow, Images: f.Images, Efforts: f.Efforts,
	}}}
	for _, id := range f.More {
		more := c.Models[0]
		more.ID, more.Name = strings.TrimSpace(id), ""
		if more.ID == "" || slices.ContainsFunc(c.Models, func(m Model) bool { return m.ID == more.ID }) {
			return Connection{}, nil, say.Error(chat.CodeBadRequest, "", say.FlagWrong, "flag", "--model", "why", "it is given twice, or empty")
		}
		c.Models = append(c.Models, more)
	}
	if c.Models[0].ID == "" {
		return Connection{}, nil, say.Error(chat.CodeBadRequest, "", say.FlagMissing, "flag", "--model")
	}
	if f.ContextWindow < 0 {
		return Connection{}, nil, say.Error(chat.CodeBadRequest, "", say.FlagWrong, "flag", "--context-window", "why", "it is negative")
	}
	if f.Slots < 0 {
		return Connection{}, nil, say.Error(chat.CodeBadRequest, "", say.FlagWrong, "flag", "--slots", "why", "it is negative")
	}
	var err error
	if c.Upstream, err = ParseUpstream(f.BaseURL); err != nil {
		return Connection{}, nil, say.Error(chat.CodeBadRequest, "", say.FlagWrong, "flag", "--base-url", "why", err.Error())
	}
	if f.KeyFile == "" {
		return c, nil, nil
	}
	var warnings []chat.Sentence
	key, warning, err := ReadKey("--key-file", f.KeyFile)
	if err != nil {
		return Connection{}, nil, err
	}
	if c.Key = key; warning != nil {
		warnings = append(warnings, *warning)
	}
	if c.Upstream.Scheme == "http" && !isLoopback(c.Upstream.Hostname()) {
		warnings = append(warnings, say.Sentence(say.KeyInClear, "server", c.Upstream.Host))
	}
	return c, warnings, nil
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// Provider gives the connection as the profile needs it; baseURL is the proxy's
// (Proxy.BaseURL).
func (c Connection) Provider(baseURL string) profile.Provider {
	p := profile.Provider{ID: c.ID, Name: c.Name, BaseURL: baseURL, KeyEnv: harness.EnvRouteKey, Retry: c.Retry}
	for _, m := range c.Models {
		p.Models = append(p.Models, profile.Model{
			ID: m.ID, Name: m.Name, ContextWindow: m.ContextWindow, Images: m.Images, Efforts: m.Efforts,
		})
	}
	return p
}

// Routes lists the models of all connections; the first one is the default.
func Routes(connections []Connection) []chat.Route {
	var out []chat.Route
	for _, c := range connections {
		for _, m := range c.Models {
			name := m.Name
			if name == "" {
				name = m.ID
			}
			out = append(out, chat.Route{ID: c.ID + "/" + m.ID, Name: name, ContextWindow: m.ContextWindow, Default: len(out) == 0, Images: m.Images})
		}
	}
	return out
}

// SplitRoute parts a route's id into the provider and the model, which may hold
// slashes itself. Ok is false for what is no route id.
func SplitRoute(id string) (provider, model string, ok bool) {
	provider, model, ok = strings.Cut(id, "/")
	return provider, model, ok && provider != "" && model != ""
}
