// Package direct is the path without a Harness: a message goes straight to the model's
// own API, OpenAI's chat completions or Anthropic's messages, and its answer comes as
// the frames of any other run. There are no tools on it.
package direct

import (
	"bytes"
	"context"
	b64 "encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sync/atomic"
	"time"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// Options is what a Client is made of.
type Options struct {
	Connections []connections.Connection // of the beginning; see SetConnections
	// Transport carries the requests; nil is one of the client's own.
	Transport http.RoundTripper
	// Redact takes secrets out of technical text; nil takes out the key alone.
	Redact func(string) string
	// Idle is how long a server may send nothing at all; 0 is five minutes, which is
	// what Node's fetch waits by itself, and so the Harness. A local server that reads
	// a long prompt needs some of it.
	Idle time.Duration
	// Unreached is told when a server of the person's own gave no answer; nil tells nobody. It must return at once.
	Unreached func()
}

// Client answers messages. It may be used from many goroutines.
type Client struct {
	o           Options
	http        *http.Client
	connections atomic.Pointer[[]connections.Connection]
	uncounting  uncounting
}

const idle = 5 * time.Minute

// New gives a Client. Close lets its connections go.
func New(o Options) *Client {
	if o.Transport == nil {
		o.Transport = connections.Transport()
	}
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	if o.Unreached == nil {
		o.Unreached = func() {}
	}
	if o.Idle == 0 {
		o.Idle = idle
	}
	c := &Client{o: o, http: &http.Client{
		Transport:     o.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	c.SetConnections(o.Connections)
	return c
}

// SetConnections replaces the servers that may be asked. Answers under way go on.
func (c *Client) SetConnections(all []connections.Connection) {
	c.connections.Store(&all)
	c.uncounting.forget()
}

// Close closes connections that nothing uses any more.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Answer sends a message and emits the frames of its run, from start to done or error,
// in this goroutine and without run and seq. A context that ends breaks the request
// off and gives a done frame that says cancelled.
func (c *Client) Answer(ctx context.Context, t Turn, emit func(chat.Frame)) {
	conn, model, refused := c.route(t.Model)
	if refused == nil {
		refused = t.check(model)
	}
	if refused != nil {
		emit(project.ErrorFrame(refused))
		return
	}
	emit(chat.Frame{Type: chat.Started, Agent: false, Mode: t.Mode, Model: t.Model})
	a := answer{emit: emit, decoder: decoderOf(conn)}
	finish, err := c.request(ctx, conn, model, t, &a)
	used := a.decoder.used()
	usage := chat.Usage(used)
	a.context(used, model.ContextWindow)
	if err != nil && ctx.Err() != nil {
		emit(project.DoneFrame(string(aborted), true, usage))
		return
	}
	if err != nil {
		f := c.failure(err, conn)
		emit(project.ErrorFrame(f.Chat(t.Model)))
		return
	}
	a.ending(finish)
	emit(project.DoneFrame(string(finish), false, usage))
}

// route finds the model; a route that is gone is never another one.
func (c *Client) route(id string) (connections.Connection, connections.Model, *chat.Error) {
	if id == "" {
		return connections.Connection{}, connections.Model{}, say.Error(chat.CodeModelUnavailable, "no route", say.NoModel)
	}
	if provider, name, ok := connections.SplitRoute(id); ok {
		for _, conn := range *c.connections.Load() {
			for _, m := range conn.Models {
				if conn.ID == provider && m.ID == name {
					return conn, m, nil
				}
			}
		}
	}
	e := say.Error(chat.CodeModelUnavailable, "no such route", say.ModelUnavailable, "model", id)
	e.Actions = []string{project.ActionModel}
	return connections.Connection{}, connections.Model{}, e
}

// failure makes a *Failure of what a request gave, without secrets.
func (c *Client) failure(err error, conn connections.Connection) *Failure {
	f := &Failure{Kind: Refused, Details: err.Error()}
	if known := (*Failure)(nil); errors.As(err, &known) {
		copied := *known
		f = &copied
	}
	f.Details = c.o.Redact(conn.Key.Redact(f.Details))
	return f
}

func decoderOf(conn connections.Connection) decoder {
	if conn.Speaks() == connections.Anthropic {
		return &anthropic{}
	}
	return &openAI{}
}

// build makes the request of a turn.
func build(ctx context.Context, conn connections.Connection, model connections.Model, t Turn) (*http.Request, error) {
	encoded, path := openAIBody, "/chat/completions"
	if conn.Speaks() == connections.Anthropic {
		encoded, path = anthropicBody, "/messages"
	}
	body, err := encoded(t, conn, model)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, conn.Base()+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("making a request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	if conn.Speaks() == connections.Anthropic {
		req.Header.Set("Anthropic-Version", connections.AnthropicVersion)
	}
	conn.Authorize(req.Header)
	return req, nil
}

// errIdle ends a request whose server sends nothing.
var errIdle = errors.New("the server sent nothing for too long")

// maxRefusal is how much of a refusal is read, in bytes.
const maxRefusal = 64 << 10

// request sends a turn and hands the answer on. The error is a *Failure, or the
// context's.
func (c *Client) request(ctx context.Context, conn connections.Connection, model connections.Model, t Turn, a *answer) (Finish, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(c.o.Idle, func() { cancel(errIdle) })
	defer watch.Stop()
	req, err := build(ctx, conn, model, t)
	if err != nil {
		return "", err
	}
	res, err := c.http.Do(req)
	if err != nil {
		kind := Unreachable
		if conn.NotRunning(err) {
			kind = NotRunning
		}
		if conn.Kind == chat.KindLocal && ctx.Err() == nil {
			c.o.Unreached()
		}
		return "", broken(ctx, err, kind)
	}
	conn.Key.Filter(res) // some servers quote it
	defer res.Body.Close()
	watch.Reset(c.o.Idle)
	if res.StatusCode != http.StatusOK {
		body, err := io.ReadAll(io.LimitReader(res.Body, maxRefusal))
		if err != nil && len(body) == 0 {
			return "", broken(ctx, err, BrokeOff)
		}
		return "", refusal(res.StatusCode, body, res.Header.Get("Retry-After"), time.Now())
	}
	if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind == "application/json" {
		return a.whole(ctx, res.Body) // a server that does not stream, or an error in spite of 200
	}
	var p Parser
	buf := make([]byte, 32<<10)
	for !a.decoder.over() {
		n, err := res.Body.Read(buf)
		watch.Reset(c.o.Idle)
		events, long := p.Feed(buf[:n])
		if failed := a.take(events); failed != nil {
			return "", failed
		}
		switch {
		case long != nil:
			return "", &Failure{Kind: Unreadable, Details: long.Error()}
		case errors.Is(err, io.EOF):
			return a.decoder.end()
		case err != nil:
			return "", broken(ctx, err, BrokeOff)
		}
	}
	return a.decoder.end()
}

// broken says why a connection gave no more.
func broken(ctx context.Context, err error, kind FailureKind) error {
	if errors.Is(context.Cause(ctx), errIdle) {
		return &Failure{Kind: TimedOut, Details: errIdle.Error()}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &Failure{Kind: kind, Details: err.Error()}
}

func base64(data []byte) string { return b64.StdEncoding.EncodeToString(data) }
