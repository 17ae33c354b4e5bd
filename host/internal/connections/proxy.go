package connections

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// MaxBody is the largest request that is passed on, in bytes: a conversation with
// many pictures.
const MaxBody = 64 << 20

// Proxy is the key proxy: a server on a loopback port of its own. It logs nothing.
type Proxy struct {
	listener net.Listener
	server   *http.Server
	upstream *http.Transport
	served   chan struct{}

	token       launchToken // of the models
	connections atomic.Pointer[map[string]*route]
	search      searchRoute
	servers     serverRoutes
	unreached   atomic.Pointer[func()]

	mu     sync.Mutex
	closed bool
}

// Listen starts the proxy on a free port of 127.0.0.1. It serves nothing until
// SetConnections and Renew; end it with Close.
func Listen() (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting key proxy: %w", err)
	}
	p := &Proxy{
		listener: listener, served: make(chan struct{}),
		upstream: Transport(),
	}
	p.connections.Store(&map[string]*route{})
	p.SetServers(nil)
	p.server = &http.Server{
		Handler:           http.HandlerFunc(p.serve),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          log.New(discard{}, "", 0),
	}
	go func() {
		defer close(p.served)
		_ = p.server.Serve(listener) // ends with Close
	}()
	return p, nil
}

// discard drops the server's own log, whose lines quote what clients send.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// SetConnections replaces what is served. Requests under way go on.
func (p *Proxy) SetConnections(connections []Connection) error {
	routes := make(map[string]*route, len(connections))
	for _, c := range connections {
		if !connectionID.MatchString(c.ID) || routes[c.ID] != nil {
			return fmt.Errorf("connection %q: its id is no id of its own", c.ID)
		}
		if c.Upstream == nil {
			return fmt.Errorf("connection %q: no base URL", c.ID)
		}
		route, err := newRoute(c, p.upstream)
		if err != nil {
			return fmt.Errorf("connection %q: %w", c.ID, err)
		}
		route.unreached = p.tellUnreached
		routes[c.ID] = route
	}
	p.connections.Store(&routes)
	return nil
}

// OnUnreached has f told when a request to a server of the person's own fails. It is called
// by many goroutines, and must return at once.
func (p *Proxy) OnUnreached(f func()) { p.unreached.Store(&f) }

func (p *Proxy) tellUnreached() {
	if f := p.unreached.Load(); f != nil {
		(*f)()
	}
}

// Renew makes a new token, for the next launch, and gives it. The one before does
// not count any more.
func (p *Proxy) Renew() string { return p.token.renew() }

// BaseURL is the address that stands for a connection's base URL.
func (p *Proxy) BaseURL(id string) string { return p.Origin() + "/" + id + "/v1" }

// Origin is what all addresses of the proxy begin with, without a slash at its end.
func (p *Proxy) Origin() string { return "http://" + p.listener.Addr().String() }

// Close ends all requests and the server.
func (p *Proxy) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	err := p.server.Close()
	<-p.served
	p.upstream.CloseIdleConnections()
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("ending key proxy: %w", err)
	}
	return nil
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	id, rest, ok := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/v1/")
	handler, token := p.handler(id, rest)
	if !token.admits(r) {
		refuse(w, http.StatusUnauthorized, "unauthorized", tokenRefused, "")
		return
	}
	if !ok || handler == nil {
		refuse(w, http.StatusNotFound, "not-found", noConnection, "")
		return
	}
	if leaves(rest) {
		refuse(w, http.StatusBadRequest, "bad-request", badPath, "")
		return
	}
	if r.ContentLength > MaxBody {
		refuse(w, http.StatusRequestEntityTooLarge, "too-large", tooLarge, "")
		return
	}
	if r.Body != nil {
		r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
	}
	handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), restKey{}, rest)))
}

// handler is who serves an address, nil where nobody does, and whose token opens it.
func (p *Proxy) handler(id, rest string) (http.Handler, *launchToken) {
	switch id { // neither is the id of a connection
	case searchID:
		if r := p.search.route.Load(); r != nil {
			return r, &p.search.token
		}
		return nil, &p.search.token
	case serversID:
		return (*p.servers.routes.Load())[rest], &p.servers.token
	}
	if r := (*p.connections.Load())[id]; r != nil {
		return r, &p.token
	}
	return nil, &p.token
}

// launchToken is a token of one launch, of which only the hash is kept.
type launchToken struct {
	hash atomic.Pointer[[sha256.Size]byte]
}

func (s *launchToken) renew() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	token := hex.EncodeToString(b)
	sum := sha256.Sum256([]byte(token))
	s.hash.Store(&sum)
	return token
}

// admits compares the token in constant time. It comes where the key would be: clients
// of Anthropic's API have another place for it.
func (s *launchToken) admits(r *http.Request) bool {
	want := s.hash.Load()
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		given = r.Header.Get("X-Api-Key")
		ok = given != ""
	}
	sum := sha256.Sum256([]byte(given))
	return ok && want != nil && subtle.ConstantTimeCompare(sum[:], want[:]) == 1
}
