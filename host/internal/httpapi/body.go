package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// drainLimit is how much of a body that is too large is read and dropped, so
// that the client gets to read the refusal instead of a reset.
const drainLimit = 4 * chat.MaxBody

// slowBody gives a request's body a deadline before anyone looks at it. The
// server has no read timeout of its own, because that would cut streams; and
// net/http reads what a refused request still sends. decode takes the deadline
// off once the body is whole.
func (s *Server) slowBody(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if b := c.Request().Body; b != nil && b != http.NoBody {
			if err := setReadDeadline(c, time.Now().Add(s.o.BodyTimeout)); err != nil {
				return err
			}
		}
		return next(c)
	}
}

func setReadDeadline(c echo.Context, t time.Time) error {
	err := http.NewResponseController(c.Response()).SetReadDeadline(t)
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("setting the body's deadline: %w", err)
	}
	return nil
}

// decode reads the request's JSON body into v. Fields that v does not have are
// ignored: an older host serves a newer page.
func (s *Server) decode(c echo.Context, v any) error {
	r := c.Request()
	if t := r.Header.Get("Content-Type"); !isJSON(t) || r.Header.Get("Content-Encoding") != "" {
		return say.Error(chat.CodeMediaType, fmt.Sprintf("Content-Type %q, want application/json", t), say.NotJSONType)
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, chat.MaxBody+1))
	if err != nil {
		return say.Error(chat.CodeBadRequest, "reading the body: "+err.Error(), say.BadJSON)
	}
	if len(body) > chat.MaxBody {
		_, _ = io.CopyN(io.Discard, r.Body, drainLimit)
		return say.Error(chat.CodeTooLarge, fmt.Sprintf("the body is over %d bytes", chat.MaxBody), say.TooLarge,
			"limit", fmt.Sprintf("%d MB", chat.MaxBody>>20))
	}
	// The whole body is here: the connection is watched for the client's going
	// away from now on, and that must not time out.
	if err := setReadDeadline(c, time.Time{}); err != nil {
		return err
	}
	if err := parse(body, v); err != nil {
		return say.Error(chat.CodeBadRequest, err.Error(), say.BadJSON)
	}
	return nil
}

func isJSON(contentType string) bool {
	t, params, err := mime.ParseMediaType(contentType)
	charset, has := params["charset"]
	return err == nil && t == "application/json" && (!has || strings.EqualFold(charset, "utf-8"))
}

// parse reads exactly one JSON object; its errors name the place.
func parse(body []byte, v any) error {
	if at := invalidUTF8(body); at >= 0 {
		return fmt.Errorf("%s: not UTF-8", position(body, int64(at)))
	}
	if b := bytes.TrimLeft(body, " \t\r\n"); len(b) > 0 && b[0] != '{' {
		return fmt.Errorf("%s: want an object", position(body, int64(len(body)-len(b))))
	}
	err := json.Unmarshal(body, v)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at := syntax.Offset // how much was read: the place after a bad byte
		if at < int64(len(body)) || !strings.HasPrefix(err.Error(), "unexpected end") {
			at--
		}
		return fmt.Errorf("%s: %w", position(body, at), err)
	case errors.As(err, &kind):
		return fmt.Errorf("%s: %q is a JSON %s, want %s", position(body, kind.Offset), kind.Field, kind.Value, kind.Type)
	}
	return err
}

// invalidUTF8 gives where b stops being UTF-8, or -1.
func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// position names a byte offset as line and column, both from 1.
func position(body []byte, offset int64) string {
	before := body[:min(max(offset, 0), int64(len(body)))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("line %d, column %d", line, column)
}

// need refuses a request that leaves out a field; nameAndValue alternate.
func need(nameAndValue ...string) error {
	for i := 0; i+1 < len(nameAndValue); i += 2 {
		if field := nameAndValue[i]; nameAndValue[i+1] == "" {
			return say.Error(chat.CodeBadRequest, field+" is missing", say.FieldMissing, "field", field)
		}
	}
	return nil
}
