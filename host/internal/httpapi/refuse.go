package httpapi

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// statusOf is the HTTP status of each code that a route answers with.
var statusOf = map[chat.Code]int{
	chat.CodeBadRequest:        http.StatusBadRequest,
	chat.CodeUnauthorized:      http.StatusUnauthorized,
	chat.CodeForbidden:         http.StatusForbidden,
	chat.CodeNotFound:          http.StatusNotFound,
	chat.CodeUnknownChat:       http.StatusNotFound,
	chat.CodeUnknownSession:    http.StatusNotFound,
	chat.CodeUnknownPermission: http.StatusNotFound,
	chat.CodeUnknownTask:       http.StatusNotFound,
	chat.CodeUnknownConnection: http.StatusNotFound,
	chat.CodeUnknownTool:       http.StatusNotFound,
	chat.CodeMethod:            http.StatusMethodNotAllowed,
	chat.CodeNotPending:        http.StatusConflict,
	chat.CodeChanged:           http.StatusConflict,
	chat.CodeNotYours:          http.StatusConflict,
	chat.CodeNotWaiting:        http.StatusConflict,
	chat.CodeNotTaken:          http.StatusConflict,
	chat.CodeTaskRunning:       http.StatusConflict,
	chat.CodeTooMany:           http.StatusConflict,
	chat.CodeModeUnavailable:   http.StatusConflict,
	chat.CodeModelUnavailable:  http.StatusConflict,
	chat.CodeTooLarge:          http.StatusRequestEntityTooLarge,
	chat.CodeMediaType:         http.StatusUnsupportedMediaType,
	chat.CodeInternal:          http.StatusInternalServerError,
	chat.CodeAgentUnavailable:  http.StatusServiceUnavailable,
	chat.CodeAgentStopped:      http.StatusServiceUnavailable,
	chat.CodeModelFailed:       http.StatusBadGateway,
	chat.CodeContextFull:       http.StatusConflict,
}

// statusGone is logged where the client went away before the answer (nginx's 499).
const statusGone = 499

// typed makes a chat.Error of whatever a handler or the router returned.
func typed(err error, r *http.Request) *chat.Error {
	var e *chat.Error
	if errors.As(err, &e) {
		return e
	}
	var h *echo.HTTPError
	if errors.As(err, &h) {
		switch h.Code {
		case http.StatusNotFound:
			return say.Error(chat.CodeNotFound, "", say.NoRoute)
		case http.StatusMethodNotAllowed:
			return say.Error(chat.CodeMethod, "", say.NoMethod, "method", r.Method)
		}
	}
	return say.Error(chat.CodeInternal, err.Error(), say.Internal)
}

// refuse answers an error with a chat.ErrorBody. A response that has begun is
// only broken off, so that the client sees that it is not whole.
func (s *Server) refuse(err error, c echo.Context) {
	e := *typed(err, c.Request())
	e.Details = s.o.Redact.Text(e.Details)
	e.Text = s.o.Redact.Text(e.Text)
	c.Set(codeKey, string(e.Code))
	if e.Code == chat.CodeInternal {
		s.o.Log.Error("a request failed", zap.String("route", c.Path()), zap.Error(err))
	}
	if c.Response().Committed {
		return
	}
	if c.Request().Context().Err() != nil && errors.Is(err, context.Canceled) {
		c.Response().Status = statusGone
		return
	}
	status, ok := statusOf[e.Code]
	if !ok {
		status = http.StatusInternalServerError
	}
	if err := c.JSON(status, chat.ErrorBody{Error: e}); err != nil {
		s.o.Log.Debug("an answer was not taken", zap.Error(err))
	}
}

// recover turns a panic into a refusal; net/http's own abort passes.
func (s *Server) recover(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler {
				panic(p)
			}
			s.o.Log.Error("a handler panicked", zap.String("route", c.Path()), zap.Any("panic", p), zap.ByteString("stack", debug.Stack()))
			if c.Response().Committed {
				panic(http.ErrAbortHandler)
			}
			err = say.Error(chat.CodeInternal, "the handler panicked; the log has more", say.Internal)
		}()
		return next(c)
	}
}

const codeKey = "code"

// access writes one line per request: the route's pattern, never the URL, whose
// query and ids are nobody else's.
func (s *Server) access(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := time.Now()
		if err := next(c); err != nil {
			c.Error(err) // answered here, so that the status is known below
		}
		fields := []zap.Field{
			zap.String("method", c.Request().Method), zap.String("route", c.Path()),
			zap.Int("status", c.Response().Status), zap.Duration("took", time.Since(start)),
		}
		code, _ := c.Get(codeKey).(string)
		if code == "" {
			s.o.Log.Debug("served", fields...)
			return nil
		}
		s.o.Log.Info("refused", append(fields, zap.String("code", code))...)
		return nil
	}
}
