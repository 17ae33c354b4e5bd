package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"strata.dev/bridge/proto/chat"
)

// Technical text passes the redaction funnel whole; of what a person is meant to
// read, only the values of our own secrets are taken out (Values, on the line or
// the body as it is sent). What a run keeps is never changed.

func (s *Server) cleanTool(t chat.Tool) chat.Tool {
	t.Details = s.o.Redact.Text(t.Details)
	return t
}

// cleanMessages is never nil, so that JSON has a list.
func (s *Server) cleanMessages(messages []chat.Message) []chat.Message {
	out := make([]chat.Message, len(messages))
	for i, m := range messages {
		out[i] = m
		if len(m.Tools) == 0 {
			continue
		}
		out[i].Tools = make([]chat.Tool, len(m.Tools))
		for j, t := range m.Tools {
			out[i].Tools[j] = s.cleanTool(t)
		}
	}
	return out
}

// answer writes v as JSON, without the values of our own secrets.
func (s *Server) answer(c echo.Context, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("marshalling the answer: %w", err)
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, append(s.o.Redact.Values(b), '\n'))
}
