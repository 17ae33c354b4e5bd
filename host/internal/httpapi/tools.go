package httpapi

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"strata.dev/bridge/host/internal/tools"
	"strata.dev/bridge/proto/chat"
)

// Tools is what the routes call; *tools.Settings says what each method does.
type Tools interface {
	Get() chat.ToolSettings
	Change(ctx context.Context, p chat.ToolsPatch) error
	Add(ctx context.Context, p chat.CustomToolPatch) error
	Edit(ctx context.Context, id string, p chat.CustomToolPatch) error
	Remove(ctx context.Context, id string) error
}

var _ Tools = (*tools.Settings)(nil)

// toolRoutes are those of Settings → Tools. Each tells what is chosen then.
func (s *Server) toolRoutes() {
	on := func(method, path string, h func(echo.Context, Tools) error) {
		s.echo.Add(method, "/api/agent/tools"+path, func(c echo.Context) error {
			if s.o.Tools == nil {
				return echo.ErrNotFound
			}
			if err := h(c, s.o.Tools); err != nil {
				return err
			}
			return s.answer(c, s.o.Tools.Get())
		})
	}
	on(http.MethodGet, "", func(echo.Context, Tools) error { return nil })
	on(http.MethodPut, "", withPatch(s, func(c echo.Context, t Tools, p chat.ToolsPatch) error { return t.Change(c.Request().Context(), p) }))
	on(http.MethodPost, "/custom", withPatch(s, func(c echo.Context, t Tools, p chat.CustomToolPatch) error {
		return t.Add(c.Request().Context(), p)
	}))
	on(http.MethodPatch, "/custom/:id", withPatch(s, func(c echo.Context, t Tools, p chat.CustomToolPatch) error {
		return t.Edit(c.Request().Context(), c.Param("id"), p)
	}))
	on(http.MethodDelete, "/custom/:id", func(c echo.Context, t Tools) error { return t.Remove(c.Request().Context(), c.Param("id")) })
}

// withPatch decodes the body first.
func withPatch[T any](s *Server, h func(echo.Context, Tools, T) error) func(echo.Context, Tools) error {
	return func(c echo.Context, t Tools) error {
		var patch T
		if err := s.decode(c, &patch); err != nil {
			return err
		}
		return h(c, t, patch)
	}
}
