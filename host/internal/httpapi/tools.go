package httpapi

import (
	"context"

	"github.com/labstack/echo/v4"

	"strata.dev/bridge/host/internal/tools"
	"strata.dev/bridge/proto/chat"
)

// Tools is what the routes call; *tools.Settings says what each method does.
type Tools interface {
	Get() chat.ToolSettings
	Change(ctx context.Context, p chat.ToolsPatch) error
}

var _ Tools = (*tools.Settings)(nil)

// tools tells what is chosen under Settings → Tools.
func (s *Server) tools(c echo.Context) error {
	if s.o.Tools == nil {
		return echo.ErrNotFound
	}
	return s.answer(c, s.o.Tools.Get())
}

// setTools changes it, and tells what is chosen then.
func (s *Server) setTools(c echo.Context) error {
	if s.o.Tools == nil {
		return echo.ErrNotFound
	}
	var p chat.ToolsPatch
	if err := s.decode(c, &p); err != nil {
		return err
	}
	if err := s.o.Tools.Change(c.Request().Context(), p); err != nil {
		return err
	}
	return s.answer(c, s.o.Tools.Get())
}
