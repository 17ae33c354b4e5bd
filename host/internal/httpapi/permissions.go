package httpapi

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"strata.dev/bridge/host/internal/permissions"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// Permissions is what the person allowed in advance, and what became of each
// call; *permissions.Store says what each method does.
type Permissions interface {
	List() (chat.PermissionList, error)
	Revoke(id string) error
	Decisions(permissions.Query) (chat.DecisionList, error)
}

var _ Permissions = (*permissions.Store)(nil)

func (s *Server) permissions(c echo.Context) error {
	l, err := s.o.Permissions.List()
	if err != nil {
		return err
	}
	return s.answer(c, l)
}

func (s *Server) revoke(c echo.Context) error {
	if err := s.o.Permissions.Revoke(c.Param("id")); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct{}{})
}

func (s *Server) decisions(c echo.Context) error {
	q := permissions.Query{SessionID: c.QueryParam("sessionId")}
	limit, err := number(c, "limit")
	if err != nil {
		return err
	}
	if q.Before, err = number(c, "before"); err != nil {
		return err
	}
	q.Limit = int(min(limit, permissions.MaxLimit))
	l, err := s.o.Permissions.Decisions(q)
	if err != nil {
		return err
	}
	return s.answer(c, l)
}

// number is a query parameter that is a whole number from 0 on; 0 when left out.
func number(c echo.Context, name string) (int64, error) {
	text := c.QueryParam(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, say.Error(chat.CodeBadRequest, name+" is no number", say.FieldWrong, "field", name)
	}
	return n, nil
}
