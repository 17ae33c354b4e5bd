package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"strata.dev/bridge/host/internal/page"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// approval answers a card.
func (s *Server) approval(c echo.Context) error {
	var r chat.ApprovalRequest
	if err := s.decode(c, &r); err != nil {
		return err
	}
	if err := need("sessionId", r.SessionID, "toolId", r.ToolID); err != nil {
		return err
	}
	if r.Decision != chat.Approve && r.Decision != chat.Deny {
		return say.Error(chat.CodeBadRequest, "decision is neither approve nor deny", say.FieldWrong, "field", "decision")
	}
	if err := s.o.Agent.Answer(c.Request().Context(), r); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct{}{})
}

// plan answers a plan.
func (s *Server) plan(c echo.Context) error {
	var r chat.PlanRequest
	if err := s.decode(c, &r); err != nil {
		return err
	}
	a, err := s.o.Agent.Plan(c.Request().Context(), r)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, a)
}

// oversize makes of a message that is too long one that can be sent.
func (s *Server) oversize(c echo.Context) error {
	var r chat.OversizeRequest
	if err := s.decode(c, &r); err != nil {
		return err
	}
	a, err := s.o.Agent.Oversize(c.Request().Context(), r)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, a)
}

// stop answers once the turn has ended.
func (s *Server) stop(c echo.Context) error {
	var r chat.StopRequest
	if err := s.decode(c, &r); err != nil {
		return err
	}
	if err := need("sessionId", r.SessionID+r.ChatID); err != nil {
		return err
	}
	a, err := s.o.Agent.Stop(c.Request().Context(), r)
	if err != nil {
		return err
	}
	return s.answer(c, a)
}

// takeBack gives a message back that waits for its turn.
func (s *Server) takeBack(c echo.Context) error {
	a, err := s.o.Agent.TakeBack(c.Request().Context(), chatID(c), c.Param("run"))
	if err != nil {
		return err
	}
	return s.answer(c, a)
}

// steerWaiting puts a message that waits into the running turn. It has no body.
func (s *Server) steerWaiting(c echo.Context) error {
	if err := s.o.Agent.SteerWaiting(c.Request().Context(), chatID(c), c.Param("run")); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct{}{})
}

func (s *Server) pending(c echo.Context) error {
	p := s.o.Agent.Pending(c.QueryParam("chatId"))
	if p == nil {
		p = []chat.Pending{}
	}
	return s.answer(c, chat.PendingAnswer{Pending: p})
}

func (s *Server) status(c echo.Context) error {
	return s.answer(c, s.agentStatus(c.Request().Context()))
}

// agentStatus is what a support person needs, without secrets: every text of it passes
// the redaction funnel. It starts nothing.
func (s *Server) agentStatus(ctx context.Context) chat.AgentStatus {
	a := s.o.Agent.Status(ctx)
	a.DataDir, a.LogFile = s.o.DataDir, s.o.LogFile
	s.o.About(&a)
	raw, err := json.Marshal(a)
	if err != nil { // a status holds nothing that can't be marshalled
		panic(fmt.Errorf("marshalling the status: %w", err))
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var texts any
	clean := chat.AgentStatus{}
	if err = dec.Decode(&texts); err == nil {
		if raw, err = json.Marshal(s.cleanTexts(texts)); err == nil {
			err = json.Unmarshal(raw, &clean)
		}
	}
	if err != nil {
		panic(fmt.Errorf("cleaning the status: %w", err))
	}
	return clean
}

// cleanTexts gives decoded JSON with every text redacted.
func (s *Server) cleanTexts(v any) any {
	switch v := v.(type) {
	case string:
		return s.o.Redact.Text(v)
	case []any:
		for i := range v {
			v[i] = s.cleanTexts(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = s.cleanTexts(v[name])
		}
	}
	return v
}

func (s *Server) chats(c echo.Context) error {
	l, err := s.o.Agent.Chats(c.Request().Context())
	if err != nil {
		return err
	}
	if l.Chats == nil {
		l.Chats = []chat.ChatSummary{}
	}
	return s.answer(c, l)
}

func (s *Server) chat(c echo.Context) error {
	a, err := s.o.Agent.Chat(c.Request().Context(), chatID(c))
	if err != nil {
		return err
	}
	a.Messages = s.cleanMessages(a.Messages)
	return s.answer(c, a)
}

func (s *Server) patchChat(c echo.Context) error {
	var p chat.ChatPatch
	if err := s.decode(c, &p); err != nil {
		return err
	}
	a, err := s.o.Agent.PatchChat(c.Request().Context(), chatID(c), p)
	if err != nil {
		return err
	}
	return s.answer(c, a)
}

// chatID is the id in the path. The router gives it undecoded exactly where the
// path has an encoding that a path decoded and encoded again would not have.
func chatID(c echo.Context) string {
	id := c.Param("id")
	if c.Request().URL.RawPath == "" {
		return id
	}
	if plain, err := url.PathUnescape(id); err == nil {
		return plain
	}
	return id
}

// live says that the process serves; ready that the agent can be talked to.
// Neither says anything else: they are open to everyone who reaches the port.
func (s *Server) live(c echo.Context) error { return c.NoContent(http.StatusOK) }

func (s *Server) ready(c echo.Context) error {
	if !s.o.Ready() {
		return c.NoContent(http.StatusServiceUnavailable)
	}
	return c.NoContent(http.StatusOK)
}

// asset serves the page's files, which hold nothing of anyone's.
func (s *Server) asset(c echo.Context) error {
	a, ok := page.Find(c.Request().URL.Path)
	if !ok {
		return echo.ErrNotFound
	}
	h := c.Response().Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", a.ETag)
	if c.Request().Header.Get("If-None-Match") == a.ETag {
		return c.NoContent(http.StatusNotModified)
	}
	return c.Blob(http.StatusOK, a.Type, a.Body)
}
