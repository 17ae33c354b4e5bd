package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"regexp"

	"github.com/labstack/echo/v4"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// Wire is the connection to the Harness, for people who look for what is wrong with it
// (strata-host wire). *agent.Agent says what each method does.
type Wire interface {
	Console(ctx context.Context) (gateway.Console, error)
	Skipped() []dsh.Skip
}

// wireStatus is the body of GET /api/wire/status.
type wireStatus struct {
	Agent   chat.AgentStatus `json:"agent"`
	Skipped []dsh.Skip       `json:"skipped"` // what was left out, and how often
}

// wireCall is the body of POST /api/wire/call.
type wireCall struct {
	Method  string          `json:"method"`
	Payload json.RawMessage `json:"payload"` // left out: {}
}

// wireAnswer is its answer: a value, or what the Harness refused.
type wireAnswer struct {
	Value json.RawMessage `json:"value,omitempty"`
	Error *wireRefusal    `json:"error,omitempty"`
}

type wireRefusal struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Details string `json:"details,omitempty"`
}

// local lets in who is on this computer: the console can do what the Harness can.
func (s *Server) local(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if s.o.Wire == nil {
			return echo.ErrNotFound
		}
		from, err := netip.ParseAddrPort(c.Request().RemoteAddr)
		if err != nil || !from.Addr().Unmap().IsLoopback() {
			return say.Error(chat.CodeForbidden, "not from a loopback address", say.WireLocal)
		}
		return next(c)
	}
}

// wireStatus starts nothing.
func (s *Server) wireStatus(c echo.Context) error {
	a := s.agentStatus(c.Request().Context())
	a.Skipped = nil // they are below
	skipped := s.o.Wire.Skipped()
	if skipped == nil {
		skipped = []dsh.Skip{}
	}
	return s.answer(c, wireStatus{a, skipped})
}

// methods are what a method may look like: it becomes a path (harness-wire.md §2.1).
var methods = regexp.MustCompile(`^[A-Za-z0-9_$][A-Za-z0-9_$.-]*(/[A-Za-z0-9_$][A-Za-z0-9_$.-]*)*$`)

func (s *Server) wireCall(c echo.Context) error {
	var q wireCall
	if err := s.decode(c, &q); err != nil {
		return err
	}
	if !methods.MatchString(q.Method) {
		return say.Error(chat.CodeBadRequest, "method", say.FieldWrong, "field", "method")
	}
	if len(q.Payload) == 0 {
		q.Payload = json.RawMessage("{}")
	}
	g, err := s.o.Wire.Console(c.Request().Context())
	if err != nil {
		return err
	}
	var a wireAnswer
	a.Value, err = g.Call(c.Request().Context(), q.Method, q.Payload)
	var refused *gateway.Error
	switch {
	case errors.As(err, &refused):
		a.Error = &wireRefusal{refused.Code, refused.Message, refused.Details}
	case err != nil:
		return say.Error(chat.CodeAgentUnavailable, err.Error(), say.AgentLost)
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, s.cleanJSON(a))
}

// wireFollow streams a session's items: one a line, as the gateway gives them.
func (s *Server) wireFollow(c echo.Context) error {
	id := c.QueryParam("sessionId")
	if err := need("sessionId", id); err != nil {
		return err
	}
	from, err := number(c, "from")
	if err != nil {
		return err
	}
	g, err := s.o.Wire.Console(c.Request().Context())
	if err != nil {
		return err
	}
	st, err := g.Follow(c.Request().Context(), id, from-1)
	if err != nil {
		return say.Error(chat.CodeAgentUnavailable, err.Error(), say.AgentRefused)
	}
	defer st.Close()
	return s.lines(c, func(ctx context.Context) ([]byte, error) {
		item, err := st.Next(ctx)
		return s.cleanJSON(item), err
	})
}

// wireEvents streams what happens outside session logs.
func (s *Server) wireEvents(c echo.Context) error {
	g, err := s.o.Wire.Console(c.Request().Context())
	if err != nil {
		return err
	}
	w := g.Watch()
	defer w.Close()
	return s.lines(c, func(ctx context.Context) ([]byte, error) {
		n, err := w.Next(ctx)
		return s.cleanJSON(n), err
	})
}

// cleanJSON is v without secrets: known values, and also the shapes that secrets have,
// as what it holds is not for a page.
func (s *Server) cleanJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		raw, _ = json.Marshal(map[string]string{"unreadable": err.Error()})
	}
	clean := s.o.Redact.Text(string(raw))
	if !json.Valid([]byte(clean)) { // a secret went over the end of a string
		raw, _ = json.Marshal(map[string]string{"redacted": clean})
		return raw
	}
	return []byte(clean)
}
