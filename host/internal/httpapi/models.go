package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"strata.dev/bridge/host/internal/models"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// Models is what the routes call; *models.Registry says what each method does.
type Models interface {
	List() chat.ModelsAnswer
	Get(id string) (chat.ModelConnection, error)
	Add(ctx context.Context, spec chat.ConnectionSpec) (chat.ModelConnection, error)
	Replace(ctx context.Context, id string, spec chat.ConnectionSpec) (chat.ModelConnection, error)
	Remove(ctx context.Context, id string) error
	SetDefault(route string) error
	Try(ctx context.Context, spec chat.ConnectionSpec) (chat.ModelTest, error)
	Test(ctx context.Context, id string) (chat.ModelTest, error)
	Offers(ctx context.Context, id string, again bool) (chat.ModelOffers, error)
	PutLocal(ctx context.Context, id string, spec chat.LocalSpec) (chat.ModelConnection, error)
	DropLocal(id string) error
}

var _ Models = (*models.Registry)(nil)

func (s *Server) modelRoutes() {
	on := func(method, path string, h func(echo.Context, Models) (any, error)) {
		s.echo.Add(method, "/api/models"+path, func(c echo.Context) error {
			if s.o.Models == nil {
				return echo.ErrNotFound
			}
			answer, err := h(c, s.o.Models)
			if err != nil {
				return err
			}
			return s.answer(c, answer)
		})
	}
	on(http.MethodGet, "", func(_ echo.Context, m Models) (any, error) { return m.List(), nil })
	on(http.MethodPost, "", withBody(s, func(c echo.Context, m Models, spec chat.ConnectionSpec) (any, error) {
		return m.Add(c.Request().Context(), spec)
	}))
	on(http.MethodPost, "/test", withBody(s, func(c echo.Context, m Models, spec chat.ConnectionSpec) (any, error) {
		return m.Try(c.Request().Context(), spec)
	}))
	on(http.MethodPut, "/default", withBody(s, func(_ echo.Context, m Models, d modelDefault) (any, error) {
		if d.Route == nil { // "" is the first one, and nothing is a mistake
			return nil, need("route", "")
		}
		return struct{}{}, m.SetDefault(*d.Route)
	}))
	on(http.MethodPut, "/local/:id", withBody(s, func(c echo.Context, m Models, spec chat.LocalSpec) (any, error) {
		return m.PutLocal(c.Request().Context(), c.Param("id"), spec)
	}))
	on(http.MethodDelete, "/local/:id", func(c echo.Context, m Models) (any, error) { return struct{}{}, m.DropLocal(c.Param("id")) })
	on(http.MethodGet, "/:id", func(c echo.Context, m Models) (any, error) { return m.Get(c.Param("id")) })
	on(http.MethodPut, "/:id", withBody(s, func(c echo.Context, m Models, spec chat.ConnectionSpec) (any, error) {
		return m.Replace(c.Request().Context(), c.Param("id"), spec)
	}))
	on(http.MethodDelete, "/:id", func(c echo.Context, m Models) (any, error) {
		return struct{}{}, m.Remove(c.Request().Context(), c.Param("id"))
	})
	on(http.MethodPost, "/:id/test", func(c echo.Context, m Models) (any, error) { return m.Test(c.Request().Context(), c.Param("id")) })
	on(http.MethodGet, "/:id/offers", func(c echo.Context, m Models) (any, error) {
		again, err := strconv.ParseBool(cmp.Or(c.QueryParam("again"), "false"))
		if err != nil {
			return nil, say.Error(chat.CodeBadRequest, err.Error(), say.FieldWrong, "field", "again")
		}
		return m.Offers(c.Request().Context(), c.Param("id"), again)
	})
}

// modelDefault is chat.ModelDefault as it is read: a route that was left out shows.
type modelDefault struct {
	Route *string `json:"route"`
}

// withBody decodes the body first.
func withBody[T any](s *Server, h func(echo.Context, Models, T) (any, error)) func(echo.Context, Models) (any, error) {
	return func(c echo.Context, m Models) (any, error) {
		var body T
		if err := s.decode(c, &body); err != nil {
			return nil, err
		}
		return h(c, m, body)
	}
}
