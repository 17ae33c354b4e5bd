package scriptmodel

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
)

// Config says how a Model behaves; the zero value is a good one.
type Config struct {
	Addr          string   // to listen on; "" is a free port of 127.0.0.1
	Models        []string // ids of GET /v1/models; nil is scripted-1. Any id is answered
	Key           string   // wanted as Bearer token; "" wants none
	Window        int      // tokens of the context window; 0 is 262144, what the Harness assumes
	CharsPerToken float64  // how it counts; 0 is 4, the usual rule of thumb for English
	Refuse        bool     // refuse a prompt over Window; otherwise its usage is cut to Window
	RefuseStatus  int      // of such a refusal; 0 is 400. One with 413 does not say why
	Strict        bool     // the reply that is asked for counts too
	NoCount       bool     // count_tokens is refused
	// Summaries answers a request for a summary in place of a good one; nil, or no
	// actions, is a good one.
	Summaries func(ChatRequest) []Action
	// Sizes gives the window and the way to count of a model by its id, in place of
	// the fields above; nil, or ok false, leaves them.
	Sizes func(model string) (s Size, ok bool)
}

// Size is how large a model is and how it says no.
type Size struct {
	Window        int     // tokens
	CharsPerToken float64 // characters
	RefuseStatus  int     // of a prompt over Window; 0 refuses none
	Wording       int     // of a refusal with 400: one of several servers' own
	Strict        bool    // the reply that is asked for counts too
	NoCount       bool    // count_tokens is refused
}

// size is that of a model.
func (m *Model) size(model string) Size {
	if m.config.Sizes != nil {
		if s, ok := m.config.Sizes(model); ok {
			return s
		}
	}
	s := Size{Window: m.config.Window, CharsPerToken: m.config.CharsPerToken, Strict: m.config.Strict, NoCount: m.config.NoCount}
	if m.config.Refuse {
		s.RefuseStatus = http.StatusBadRequest
		if m.config.RefuseStatus != 0 {
			s.RefuseStatus = m.config.RefuseStatus
		}
	}
	return s
}

// Model is the server. All its methods may be called from many goroutines.
type Model struct {
	config   Config
	log      log
	holds    holds
	faults   faults
	handlers sync.WaitGroup // requests under way

	server *http.Server
	listen net.Listener
	served chan error
}

// New makes a Model without a listener, for use through Handler.
func New(config Config) *Model {
	if len(config.Models) == 0 {
		config.Models = []string{"scripted-1"}
	}
	if config.Window == 0 {
		config.Window = 262144
	}
	if config.CharsPerToken == 0 {
		config.CharsPerToken = 4
	}
	return &Model{config: config, log: log{changed: make(chan struct{})}}
}

// Start makes a Model that listens until Close.
func Start(config Config) (*Model, error) {
	m := New(config)
	addr := config.Addr
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("starting the scripted model: %w", err)
	}
	m.listen, m.server, m.served = l, &http.Server{Handler: m.Handler()}, make(chan error, 1)
	go func() { m.served <- m.server.Serve(l) }()
	return m, nil
}

// URL is the base URL for an OpenAI client, with /v1.
func (m *Model) URL() string { return "http://" + m.listen.Addr().String() + "/v1" }

// ControlURL is the address of the control routes, without a slash at its end.
func (m *Model) ControlURL() string { return "http://" + m.listen.Addr().String() + "/control" }

// Close breaks all connections off and waits for their handlers.
func (m *Model) Close() error {
	err := m.server.Close()
	if served := <-m.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	m.handlers.Wait()
	return err
}

// Handler serves the OpenAI routes and the control routes.
func (m *Model) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", m.completions)
	mux.HandleFunc("GET /v1/models", m.models)
	mux.HandleFunc("POST /v1/messages/count_tokens", m.countTokens)
	mux.HandleFunc("POST /control/release", m.controlRelease)
	mux.HandleFunc("GET /control/held", m.controlHeld)
	mux.HandleFunc("GET /control/requests", m.controlRequests)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.handlers.Add(1)
		defer m.handlers.Done()
		mux.ServeHTTP(w, r)
	})
}

// wait waits for open; false says that the client left first.
func wait[T any](ctx context.Context, open <-chan T) bool {
	select {
	case <-open:
		return true
	case <-ctx.Done():
		return false
	}
}
