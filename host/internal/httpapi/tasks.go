package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"strata.dev/bridge/host/internal/events"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/tasks"
	"strata.dev/bridge/proto/chat"
)

// Tasks is what the routes call; *tasks.Scheduler says what each method does.
type Tasks interface {
	List() chat.TaskList
	Get(id string) (chat.Task, error)
	Add(spec chat.TaskSpec) (chat.Task, error)
	Patch(ctx context.Context, id string, p chat.TaskPatch) (chat.Task, error)
	Remove(ctx context.Context, id string) error
	Run(id string) (chat.Task, error)
	Stop(ctx context.Context, id string) (chat.Task, error)
	Results(id string, limit int) (chat.TaskResults, error)
}

var _ Tasks = (*tasks.Scheduler)(nil)

func (s *Server) taskRoutes() {
	on := func(method, path string, h echo.HandlerFunc) {
		s.echo.Add(method, "/api/tasks"+path, func(c echo.Context) error {
			if s.o.Tasks == nil {
				return echo.ErrNotFound
			}
			return h(c)
		})
	}
	on("GET", "", func(c echo.Context) error { return s.answer(c, s.o.Tasks.List()) })
	on("POST", "", func(c echo.Context) error {
		var spec chat.TaskSpec
		if err := s.decode(c, &spec); err != nil {
			return err
		}
		return s.task(c)(s.o.Tasks.Add(spec))
	})
	on("GET", "/:id", func(c echo.Context) error { return s.task(c)(s.o.Tasks.Get(c.Param("id"))) })
	on("PATCH", "/:id", func(c echo.Context) error {
		var p chat.TaskPatch
		if err := s.decode(c, &p); err != nil {
			return err
		}
		return s.task(c)(s.o.Tasks.Patch(c.Request().Context(), c.Param("id"), p))
	})
	on("DELETE", "/:id", func(c echo.Context) error {
		if err := s.o.Tasks.Remove(c.Request().Context(), c.Param("id")); err != nil {
			return err
		}
		return c.JSON(http.StatusOK, struct{}{})
	})
	on("POST", "/:id/run", func(c echo.Context) error { return s.task(c)(s.o.Tasks.Run(c.Param("id"))) })
	on("POST", "/:id/stop", func(c echo.Context) error { return s.task(c)(s.o.Tasks.Stop(c.Request().Context(), c.Param("id"))) })
	on("GET", "/:id/results", s.results)
}

// task answers with a task, or refuses.
func (s *Server) task(c echo.Context) func(chat.Task, error) error {
	return func(t chat.Task, err error) error {
		if err != nil {
			return err
		}
		return s.answer(c, t)
	}
}

func (s *Server) results(c echo.Context) error {
	limit, err := number(c, "limit")
	if err != nil {
		return err
	}
	list, err := s.o.Tasks.Results(c.Param("id"), int(min(limit, tasks.MaxResults)))
	if err != nil {
		return err
	}
	return s.answer(c, list)
}

// events streams what happens outside of chats, as server-sent events. Pages read it
// by fetch, as an EventSource cannot carry the token. A comment is sent while nothing
// happens.
func (s *Server) events(c echo.Context) error {
	if s.o.Events == nil {
		return echo.ErrNotFound
	}
	l, err := s.o.Events.Listen(c.Request().Header.Get("Last-Event-ID"))
	if errors.Is(err, events.ErrFull) {
		return say.Error(chat.CodeTooMany, "", say.ListenersFull)
	}
	if err != nil {
		return err
	}
	defer l.Close()
	return s.pour(c, "text/event-stream; charset=utf-8", ": \n\n", func(ctx context.Context) ([]byte, error) {
		id, e, err := l.Next(ctx)
		if err != nil {
			return nil, err
		}
		return events.Format(id, e, s.o.Redact.Values)
	})
}
