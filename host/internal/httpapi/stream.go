package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/bridge"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// send starts a run and streams it.
func (s *Server) send(c echo.Context) error {
	var r chat.StreamRequest
	if err := s.decode(c, &r); err != nil {
		return err
	}
	if err := need("chatId", r.ChatID, "requestId", r.RequestID); err != nil {
		return err
	}
	if strings.TrimSpace(r.Text) == "" && len(r.Attachments) == 0 {
		return say.Error(chat.CodeBadRequest, "text is missing", say.NoText)
	}
	sub, err := s.o.Agent.Send(c.Request().Context(), r)
	if err != nil {
		return err
	}
	return s.stream(c, sub)
}

// attach streams the frames of a run after a seq.
func (s *Server) attach(c echo.Context) error {
	id, run, after := c.QueryParam("chatId"), c.QueryParam("run"), c.QueryParam("after")
	if err := need("chatId", id); err != nil {
		return err
	}
	var seq int64
	if after != "" {
		n, err := strconv.ParseInt(after, 10, 64)
		if err != nil || n < 0 {
			return say.Error(chat.CodeBadRequest, "after is no number from 0", say.FieldWrong, "field", "after")
		}
		seq = n
	}
	sub, err := s.o.Agent.Attach(c.Request().Context(), id, run, seq)
	if err != nil {
		return err
	}
	return s.stream(c, sub)
}

// stream writes one frame a line and flushes each. It ends after the run's last
// frame, or earlier: when the client goes away or falls behind, which only
// detaches it. A client that has not seen done or error attaches again.
// While a run is silent an empty line is sent per Heartbeat; readers skip it.
func (s *Server) stream(c echo.Context, sub bridge.Subscription) error {
	defer sub.Close()
	return s.lines(c, func(ctx context.Context) ([]byte, error) {
		f, err := sub.Next(ctx)
		if err != nil {
			return nil, err
		}
		return s.line(f), nil
	})
}

// lines writes what next gives, one a line, until it fails or the client goes away.
func (s *Server) lines(c echo.Context, next func(context.Context) ([]byte, error)) error {
	return s.pour(c, "application/x-ndjson; charset=utf-8", "\n", func(ctx context.Context) ([]byte, error) {
		line, err := next(ctx)
		return append(line, '\n'), err
	})
}

// pour writes what next gives until it fails or the client goes away. Beat is written
// where nothing came for a Heartbeat.
func (s *Server) pour(c echo.Context, mediaType, beat string, next func(context.Context) ([]byte, error)) error {
	ctx := c.Request().Context()
	w := lineWriter{w: c.Response(), rc: http.NewResponseController(c.Response()), timeout: s.o.WriteTimeout}
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, mediaType)
	h.Set("X-Accel-Buffering", "no")
	c.Response().WriteHeader(http.StatusOK)
	if err := w.flush(); err != nil {
		return nil
	}
	for {
		waiting, cancel := context.WithTimeout(ctx, s.o.Heartbeat)
		text, err := next(waiting)
		cancel()
		switch {
		case err == nil:
			err = w.write(text)
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			err = w.write([]byte(beat))
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				s.o.Log.Debug("a reader was detached", zap.Error(err))
			}
			return nil
		}
	}
}

// line is a frame's JSON.
func (s *Server) line(f chat.Frame) []byte {
	f.Details = s.o.Redact.Text(f.Details)
	if f.Tool != nil {
		t := s.cleanTool(*f.Tool)
		f.Tool = &t
	}
	if f.Snapshot != nil {
		f.Snapshot = &chat.Snapshot{Messages: s.cleanMessages(f.Snapshot.Messages)}
	}
	b, err := json.Marshal(f)
	if err != nil { // a frame holds nothing that can't be marshalled
		panic(fmt.Errorf("marshalling a %s frame: %w", f.Type, err))
	}
	return s.o.Redact.Values(b)
}

// lineWriter writes lines, each with its own deadline.
type lineWriter struct {
	w       io.Writer
	rc      *http.ResponseController
	timeout time.Duration
}

func (l lineWriter) write(line []byte) error {
	if err := l.rc.SetWriteDeadline(time.Now().Add(l.timeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("setting the write deadline: %w", err)
	}
	if _, err := l.w.Write(line); err != nil {
		return fmt.Errorf("writing a line: %w", err)
	}
	return l.flush()
}

func (l lineWriter) flush() error {
	if err := l.rc.Flush(); err != nil {
		return fmt.Errorf("flushing a line: %w", err)
	}
	return nil
}
