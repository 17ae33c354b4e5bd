package connections

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"strata.dev/bridge/host/internal/harness"
	"strata.dev/bridge/host/internal/profile"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// serversID stands where a connection's id does in the addresses of MCP servers.
const serversID = "_mcp"

// Server is an MCP server of the person's own: one that is reached by its address, or a
// program that the Harness starts.
type Server struct {
	Name    string // small letters and digits, with single dashes between; at most 25
	Off     bool
	URL     *url.URL // nil for a program
	Command string
	Args    []string
	// Values are the headers that go to the address, or the variables of the program.
	Values map[string]Key
	// Revision rises with each change of what the profile does not show: the address and
	// the values. The Harness is started again for it.
	Revision int
}

// serverName leaves room for the Harness's own limit of 32 with "custom-" before it, and
// none for "__", which ends a server's name in a tool's.
var serverName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ValidServerName tells whether a server can have that name.
func ValidServerName(name string) bool { return len(name) <= 25 && serverName.MatchString(name) }

// ParseServerURL reads the address of an MCP server as a person writes it. The error
// tells in plain words what is wrong.
func ParseServerURL(text string) (*url.URL, error) {
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
		return nil, errors.New("it must end before ? and #; a key belongs into a header")
	}
	return u, nil
}

// InClear tells whether a header goes to another machine unencrypted.
func (s Server) InClear() bool {
	return s.URL != nil && len(s.Values) > 0 && s.URL.Scheme == "http" && !isLoopback(s.URL.Hostname())
}

var (
	headerName   = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$") // a token of RFC 9110 §5.6.2
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
)

// of the protocol, or of the connection itself.
var protocolHeaders = []string{
	"Accept", "Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Host", "Keep-Alive", "Last-Event-Id",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// ValidHeader tells whether a person may set that header: none that MCP itself needs.
func ValidHeader(name string) bool {
	canonical := http.CanonicalHeaderKey(name)
	return headerName.MatchString(name) && !slices.Contains(protocolHeaders, canonical) && !strings.HasPrefix(canonical, "Mcp-")
}

// ValidVariable tells whether a program can have that variable.
func ValidVariable(name string) bool { return variableName.MatchString(name) }

// ServerValue takes the value of a header or variable as a person writes it: one line of
// printable ASCII. The error is a *chat.Error and does not hold it.
func ServerValue(text string) (Key, error) {
	text = strings.TrimSpace(text)
	for _, r := range text {
		if r < ' ' || r > '~' {
			return Key{}, say.Error(chat.CodeBadRequest, "", say.ServerValueWrong)
		}
	}
	if text == "" || len(text) > maxSearchKey {
		return Key{}, say.Error(chat.CodeBadRequest, "", say.ServerValueWrong)
	}
	return newKey(text), nil
}

// Register makes the values known to what redacts texts.
func (s Server) Register(redactor interface{ Add(values ...string) }) {
	for _, v := range s.secrets() {
		v.Register(redactor)
	}
}

// secrets are the values, and what of a header stands behind its scheme ("Bearer …").
func (s Server) secrets() []Key {
	var out []Key
	for _, v := range s.Values {
		out = append(out, v)
		if _, rest, ok := strings.Cut(v.reveal(), " "); ok && s.URL != nil {
			out = append(out, newKey(rest))
		}
	}
	return out
}

// ProfileServers are the servers that are on, as the profile has them, and the variables
// by which the Harness hands programs their values: those have to be in its own
// environment, while headers stay here. base is Proxy.ServersURL.
func ProfileServers(all []Server, base string) (servers []profile.Server, environment map[string]string) {
	environment = map[string]string{}
	for _, s := range all {
		if s.Off {
			continue
		}
		out := profile.Server{Name: "custom-" + s.Name}
		if s.URL != nil {
			out.URL, out.KeyEnv = base+"/"+s.path(), harness.EnvServerKey
			servers = append(servers, out)
			continue
		}
		out.Command, out.Args = s.Command, s.Args
		for _, name := range slices.Sorted(maps.Keys(s.Values)) {
			variable := fmt.Sprintf("%s_%d_%d", harness.EnvServerKey, len(environment)+1, s.Revision)
			environment[variable] = s.Values[name].reveal()
			if out.Env == nil {
				out.Env = map[string]string{}
			}
			out.Env[name] = variable
		}
		servers = append(servers, out)
	}
	return servers, environment
}

func (s Server) path() string { return s.Name + "/" + strconv.Itoa(s.Revision) }

// serverRoutes is what the proxy has of MCP servers: a token of their own.
type serverRoutes struct {
	token  launchToken
	routes atomic.Pointer[map[string]http.Handler]
}

// SetServers replaces the MCP servers that are served. Requests under way go on.
func (p *Proxy) SetServers(all []Server) {
	routes := map[string]http.Handler{}
	for _, s := range all {
		if !s.Off && s.URL != nil {
			routes[s.path()] = p.serverRoute(s)
		}
	}
	p.servers.routes.Store(&routes)
}

// RenewServers makes a new token for the MCP servers, for the next launch, and gives it.
// The one before does not count any more.
func (p *Proxy) RenewServers() string { return p.servers.token.renew() }

// ServersURL is what the addresses that stand for MCP servers begin with.
func (p *Proxy) ServersURL() string { return p.BaseURL(serversID) }

// serverRoute passes requests on to one MCP server, with its headers.
func (p *Proxy) serverRoute(s Server) http.Handler {
	secrets := s.secrets()
	redact := func(text string) string {
		for _, v := range secrets {
			text = v.Redact(text)
		}
		return text
	}
	return &httputil.ReverseProxy{
		Transport:     p.upstream, // a RoundTripper follows no redirect
		FlushInterval: -1,         // after every write
		ErrorLog:      log.New(discard{}, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			to := *s.URL
			r.Out.URL, r.Out.Host = &to, ""
			for _, name := range own {
				r.Out.Header.Del(name)
			}
			for name, v := range s.Values {
				r.Out.Header.Set(name, v.reveal())
			}
			r.Out.Header.Set("Accept-Encoding", "identity") // to be passed on at once, and searched
		},
		// Redirects are refused, as they would be followed without the headers or, worse,
		// with them; values that the server quotes are taken out.
		ModifyResponse: func(res *http.Response) error {
			res.Header.Del("Set-Cookie")
			if res.StatusCode >= 300 && res.StatusCode < 400 && res.Header.Get("Location") != "" {
				return fmt.Errorf("%w to %s", errRedirect, redirectHost(res))
			}
			for name, values := range res.Header {
				for i := range values {
					res.Header[name][i] = redact(values[i])
				}
			}
			if len(secrets) > 0 {
				res.ContentLength = -1
				res.Header.Del("Content-Length")
			}
			for _, v := range secrets {
				v.Filter(res)
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, in *http.Request, err error) {
			if in.Context().Err() == nil {
				refuse(w, http.StatusBadGateway, "upstream-unreachable", say.ServerUnreachable, redact(err.Error()))
			}
		},
	}
}

// Address is the URL's text, "" for a program.
func (s Server) Address() string {
	if s.URL == nil {
		return ""
	}
	return s.URL.String()
}

// Seal makes one key of values, to be kept; Unseal gives them back. Neither is readable
// as text.
func Seal(values map[string]Key) Key {
	if len(values) == 0 {
		return Key{}
	}
	plain := make(map[string]string, len(values))
	for name, v := range values {
		plain[name] = v.reveal()
	}
	data, err := json.Marshal(plain)
	if err != nil {
		panic(err) // strings only
	}
	return newKey(base64.StdEncoding.EncodeToString(data))
}

// Unseal gives the values of a sealed key; none of one that is none.
func Unseal(sealed Key) map[string]Key {
	data, err := base64.StdEncoding.DecodeString(sealed.reveal())
	var plain map[string]string
	if err != nil || json.Unmarshal(data, &plain) != nil {
		return nil
	}
	values := make(map[string]Key, len(plain))
	for name, text := range plain {
		values[name] = newKey(text)
	}
	return values
}

// Clone gives a copy that shares nothing that can change.
func (s Server) Clone() Server {
	s.Args, s.Values = slices.Clone(s.Args), maps.Clone(s.Values)
	return s
}
