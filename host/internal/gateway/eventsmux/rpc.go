package eventsmux

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/proto/dsh"
)

// maxAnswer bounds one answer. The largest is a page of session.history; a page
// of 64 messages with all their chunks is some 6 MB.
const maxAnswer = 512 << 20

// request is the envelope of a call.
type request struct {
	Type    string `json:"type"`
	RPCID   string `json:"rpcId"`
	Method  string `json:"method"`
	Payload any    `json:"payload"`
}

// response is the envelope of its answer. Value is absent when the method gives
// nothing.
type response struct {
	RPCID  string `json:"rpcId"`
	Result *struct {
		OK    bool            `json:"ok"`
		Value json.RawMessage `json:"value"`
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	} `json:"result"`
}

// remote is the payload of the typed remotes, which take exactly their declared
// fields.
type remote struct {
	Args any `json:"args"`
}

// call makes one request under an id of our own. Out may be nil; it is left alone
// when the answer has no value.
func (g *Gateway) call(ctx context.Context, method string, payload, out any) error {
	return g.callAs(ctx, method, g.rpcID(method), payload, out)
}

// callAs is call with a chosen id. Errors are *gateway.Error, wrap
// gateway.ErrLost, or are the context's or ErrClosed.
func (g *Gateway) callAs(ctx context.Context, method, rpcID string, payload, out any) error {
	raw, err := g.post(ctx, method, request{Type: "client-request", RPCID: rpcID, Method: method, Payload: payload})
	if err != nil {
		return err
	}
	var r response
	if err := json.Unmarshal(raw, &r); err != nil || r.Result == nil || r.RPCID != rpcID {
		return &gateway.Error{Method: method, Code: gateway.CodeProtocol, Message: "the answer is not one to this request"}
	}
	if !r.Result.OK {
		return &gateway.Error{Method: method, Code: r.Result.Error.Code, Message: r.Result.Error.Message}
	}
	if out == nil || len(r.Result.Value) == 0 {
		return nil
	}
	err = json.Unmarshal(r.Result.Value, out)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) && wrong.Field != "" {
		g.counts.Add(dsh.SkipWrong, method+"."+wrong.Field) // the other fields are there
		return nil
	}
	if err != nil {
		return &gateway.Error{Method: method, Code: gateway.CodeProtocol, Message: "the answer's value has another shape"}
	}
	return nil
}

// post sends body to /api/<method> and gives the answer of a 200.
func (g *Gateway) post(ctx context.Context, method string, body any) (answer []byte, err error) {
	start := time.Now()
	defer func() {
		g.log.Debug("call", zap.String("method", method), zap.String("code", codeOf(err)), zap.Duration("took", time.Since(start)))
	}()
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("%s: encoding the request: %w", method, err)
	}
	ctx, cancel := g.during(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.base.JoinPath("api", method).String(), bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	req.Header.Set("Content-Type", "application/json")
	g.authorize(req.Header)
	res, err := g.client.Do(req)
	if err != nil {
		return nil, g.lost(ctx, method, err)
	}
	defer res.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return nil, g.lost(ctx, method, err)
	}
	if len(answer) > maxAnswer {
		return nil, &gateway.Error{Method: method, Code: gateway.CodeTooLarge, Message: "the answer is too large"}
	}
	if res.StatusCode != http.StatusOK {
		return nil, statusError(method, res.StatusCode)
	}
	return answer, nil
}

func (g *Gateway) authorize(h http.Header) {
	if g.opts.Secret != "" {
		h.Set("Authorization", "Bearer "+g.opts.Secret)
	}
}

// lost makes the error of a request that got no answer: the context's own where it
// ended, else one that wraps ErrLost.
func (g *Gateway) lost(ctx context.Context, method string, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("%s: %w", method, cause)
	}
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err // without the address
	}
	return fmt.Errorf("%s: %w: %w", method, gateway.ErrLost, err)
}

// statusError names the carrier's refusals (harness-rc8.md §3). What is neither of
// them, such as a proxy's 502, counts as a lost connection.
func statusError(method string, status int) error {
	e := &gateway.Error{Method: method}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		e.Code = gateway.CodeUnauthorized
		e.Message = "the Harness does not accept this host's launch secret; restart the agent"
	case http.StatusNotFound:
		e.Code, e.Message = gateway.CodeUnknownMethod, "this Harness has no such method"
	case http.StatusBadRequest, http.StatusUnsupportedMediaType:
		e.Code, e.Message = gateway.CodeBadRequest, fmt.Sprintf("HTTP %d", status)
	case http.StatusRequestEntityTooLarge:
		e.Code, e.Message = gateway.CodeTooLarge, "the request is larger than the Harness takes"
	case http.StatusInternalServerError:
		e.Code, e.Message = gateway.CodeInternal, "HTTP 500"
	default:
		return fmt.Errorf("%s: %w: HTTP %d", method, gateway.ErrLost, status)
	}
	return e
}

// codeOf gives a word for the log.
func codeOf(err error) string {
	var e *gateway.Error
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, gateway.ErrLost):
		return "lost"
	case errors.Is(err, gateway.ErrClosed):
		return "closed"
	default:
		return "cancelled"
	}
}
