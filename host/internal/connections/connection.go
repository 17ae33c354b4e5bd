// Package connections holds the model connections that the person set up, and the
// key proxy: the Harness gets a token for one launch and an address on this host,
// which puts the real key on the requests. No process that the agent can look at
// ever holds a key.
package connections

import (
	"cmp"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"strata.dev/bridge/host/internal/harness"
	"strata.dev/bridge/host/internal/profile"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// Connection is one model server and its models.
type Connection struct {
	// ID names it in routes ("id/model") and in the proxy's addresses: lower-case
	// letters, digits and dashes.
	ID string
	// Name is shown; "" is the ID.
	Name string
	// Kind is who serves it; "" is an OpenAI-compatible server.
	Kind chat.ModelKind
	// Upstream is the server's base URL, such as https://api.example.com/v1.
	Upstream *url.URL
	// API is what the server speaks; "" is what its kind or address tells.
	API API
	// Key goes to the server; the zero value sends none.
	Key    Key
	Models []Model
	Retry  profile.Retry
	// Slots is how many requests the server works on at once; 0 is not known.
	Slots int
	// FitMaxTokens says that the engine is the app's own: it is asked to fit the output's
	// limit into the window, where others answer with an error.
	FitMaxTokens bool
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
	return all[0].maxHelpers()
}

// maxHelpers is how many helpers of a chat on this server may be at work at once.
func (c Connection) maxHelpers() int {
	least := minHelpersAPI
	if c.Kind == chat.KindLocal || isLoopback(c.Upstream.Hostname()) {
		least = minHelpersLocal
	}
	return max(least, c.Slots)
}

// Model is one model of a connection.
type Model struct {
	ID            string
	Name          string // shown; "" is the ID
	ContextWindow int64  // in tokens; 0 is not known
	MaxOutput     int64  // most that it can answer, in tokens; 0 is not known
	NoPictures    bool   // the person or the server says that it reads none
	Efforts       []profile.Effort
	Price         *chat.Price // nil: not known
}

// ReadsPictures tells whether pictures may go to the model: unless somebody said no. The
// page, the check before a message goes out and the Harness's route all go by it.
func (m Model) ReadsPictures() bool { return !m.NoPictures }

// routeKey names the variable that the Harness finds the proxy's token in.
const routeKey = harness.EnvRouteKey

var connectionID = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ValidID tells whether a connection can have that id.
func ValidID(id string) bool { return len(id) <= 64 && connectionID.MatchString(id) }

// maxAddress is the longest base URL, in bytes.
const maxAddress = 2048

func validPort(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && port > 0
}

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
	case len(text) > maxAddress:
		return nil, errors.New("it is too long")
	case u.Hostname() == "":
		return nil, errors.New("it names no server")
	case !validPort(u):
		return nil, errors.New("there is no such port")
	case u.User != nil:
		return nil, errors.New("it must not hold a user name or password")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, errors.New("it must end before ? and #")
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	path = strings.TrimRight(strings.TrimSuffix(path, "/chat/completions"), "/")
	plain, err := url.Parse(u.Scheme + "://" + u.Host + path)
	if err != nil { // an IPv6 zone
		return nil, errors.New("it is no address")
	}
	return plain, nil
}

// Flags are what the command line says of a connection.
type Flags struct {
	BaseURL string   // --base-url
	Model   string   // --model: the id that the server knows
	More    []string // --model again: others beside it, with its window and abilities
	Name    string   // --model-name: of the first one
	// ContextWindow is --context-window, in tokens; 0 is not known, and a server of this
	// machine is asked.
	ContextWindow int64
	KeyFile       string // --key-file; "" sends no key
	NoPictures    bool   // --images=false
	Slots         int    // --slots; 0 is not known
	Efforts       []profile.Effort
	Retry         profile.Retry
}

// FromFlags makes the connection "strata"; none where no flag asks for one. Warnings are
// for the person. Errors are *chat.Error without any key.
func FromFlags(f Flags) ([]Connection, []chat.Sentence, error) {
	if f.BaseURL == "" && f.Model == "" && f.KeyFile == "" {
		return nil, nil, nil
	}
	c, warnings, err := f.connection()
	if err != nil {
		return nil, nil, err
	}
	return []Connection{c}, warnings, nil
}

func (f Flags) connection() (Connection, []chat.Sentence, error) {
	c := Connection{ID: profile.Name, Retry: f.Retry, Slots: f.Slots, Models: []Model{{
		ID: strings.TrimSpace(f.Model), Name: f.Name, ContextWindow: f.ContextWindow, NoPictures: f.NoPictures, Efforts: f.Efforts,
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
	c.Kind = kindOf(c.Upstream)
	for i := range c.Models {
		if c.Models[i].Efforts == nil {
			c.Models[i].Efforts = EffortsOf(c.Kind, false)
		}
	}
	var warnings []chat.Sentence
	if f.KeyFile == "" {
		return c, warnings, nil
	}
	key, warning, err := ReadKey("--key-file", f.KeyFile)
	if err != nil {
		return Connection{}, nil, err
	}
	if c.Key = key; warning != nil {
		warnings = append(warnings, *warning)
	}
	if c.InClear() {
		warnings = append(warnings, say.Sentence(say.KeyInClear, "server", c.Upstream.Host))
	}
	return c, warnings, nil
}

// NotRunning tells whether a request failed because nothing takes connections at a server
// of the person's own: its engine has ended, or was never started. A service on the net
// that cannot be reached is another matter: it is there, and the way to it is not.
func (c Connection) NotRunning(err error) bool {
	var op *net.OpError
	return c.Kind == chat.KindLocal && errors.As(err, &op) && op.Op == "dial"
}

// InClear tells whether the key goes to another machine unencrypted.
func (c Connection) InClear() bool {
	return !c.Key.IsZero() && c.Upstream.Scheme == "http" && !isLoopback(c.Upstream.Hostname())
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// Routes lists the models of all connections; the first one is the default.
func Routes(connections []Connection) []chat.Route {
	var out []chat.Route
	for _, c := range connections {
		for _, m := range c.Models {
			r := chat.Route{
				ID: c.ID + "/" + m.ID, Name: cmp.Or(m.Name, m.ID), ContextWindow: m.ContextWindow, Default: len(out) == 0, Images: m.ReadsPictures(),
				Connection: c.Name, Local: c.Kind == chat.KindLocal, Price: m.Price,
			}
			for _, e := range m.Efforts {
				r.Thinking = append(r.Thinking, e.Level)
			}
			out = append(out, r)
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
