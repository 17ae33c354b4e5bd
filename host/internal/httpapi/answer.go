package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"
)

// answer writes v as JSON, without the values of our own secrets.
func (s *Server) answer(c echo.Context, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("marshalling the answer: %w", err)
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, append(s.o.Redact.Values(b), '\n'))
}
