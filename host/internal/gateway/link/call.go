package link

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

// maxAnswer bounds one answer. The largest is a page of a session's log; a page
// of 64 messages with all their chunks is some 6 MB.
const maxAnswer = 512 << 20

// Caller makes requests; both wires have the same envelope. Its fields are set
// once. Errors of its methods are *gateway.Error, wrap gateway.ErrLost, or are the
// context's or gateway.ErrClosed.
type Caller struct {
	Client *http.Client
	Logger *zap.Logger
	Counts *dsh.Counts // gets the fields of answers that were left out
	// During gives a context that ends with the given one or with the Gateway.
	During func(context.Context) (context.Context, context.CancelFunc)
	// Target gives the Harness's address, and adds what it wants of each request.
	Target func(http.Header) *url.URL
	// Code gives our word for one of the Harness's error codes; nil: the same.
	Code func(string) string
}

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
		Error Refusal         `json:"error"`
	} `json:"result"`
}

// Refusal is an error as the Harness writes it.
type Refusal struct {
	Code    string          `json:"code"`
	Message string          `json:"message"`
	Details json.RawMessage `json:"details"`
}

// Refuse makes an error of a refusal of method.
func (c *Caller) Refuse(method string, r Refusal) *gateway.Error {
	if c.Code != nil {
		r.Code = c.Code(r.Code)
	}
	e := &gateway.Error{Method: method, Code: r.Code, Message: r.Message}
	if len(r.Details) > 2 { // {} says nothing
		e.Details = string(r.Details)
	}
	return e
}

// Call makes one request. Out may be nil; it is left alone when the answer has no
// value. A field of the value that has another type is counted and left out.
func (c *Caller) Call(ctx context.Context, method, rpcID string, payload, out any) error {
	raw, err := c.Post(ctx, method, request{Type: "client-request", RPCID: rpcID, Method: method, Payload: payload})
	if err != nil {
		return err
	}
	var r response
	if err := json.Unmarshal(raw, &r); err != nil || r.Result == nil || r.RPCID != rpcID {
		return &gateway.Error{Method: method, Code: gateway.CodeProtocol, Message: "the answer is not one to this request"}
	}
	if !r.Result.OK {
		return c.Refuse(method, r.Result.Error)
	}
	if out == nil || len(r.Result.Value) == 0 {
		return nil
	}
	err = json.Unmarshal(r.Result.Value, out)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) && wrong.Field != "" {
		c.Counts.Add(dsh.SkipWrong, method+"."+wrong.Field) // the other fields are there
		return nil
	}
	if err != nil {
		return &gateway.Error{Method: method, Code: gateway.CodeProtocol, Message: "the answer's value has another shape"}
	}
	return nil
}

// Post sends body to /api/<method> and gives the answer of a 200.
func (c *Caller) Post(ctx context.Context, method string, body any) (answer []byte, err error) {
	start := time.Now()
	defer func() {
		c.Logger.Debug("call", zap.String("method", method), zap.String("code", CodeOf(err)), zap.Duration("took", time.Since(start)))
	}()
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("%s: encoding the request: %w", method, err)
	}
	ctx, cancel := c.During(ctx)
	defer cancel()
	header := http.Header{"Content-Type": {"application/json"}}
	address := c.Target(header).JoinPath("api", method).String()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	req.Header = header
	res, err := c.Client.Do(req)
	if err != nil {
		return nil, Lost(ctx, method, err)
	}
	defer res.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return nil, Lost(ctx, method, err)
	}
	if len(answer) > maxAnswer {
		return nil, &gateway.Error{Method: method, Code: gateway.CodeTooLarge, Message: "the answer is too large"}
	}
	if res.StatusCode != http.StatusOK {
		return nil, StatusError(method, res.StatusCode)
	}
	return answer, nil
}

// Lost makes the error of a request that got no answer: the context's own where it
// ended, else one that wraps ErrLost.
func Lost(ctx context.Context, method string, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("%s: %w", method, cause)
	}
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err // without the address
	}
	return fmt.Errorf("%s: %w: %w", method, gateway.ErrLost, err)
}

// StatusError names the carrier's refusals (harness-rc8.md §3, harness-wire.md
// §2.3). What is none of them, such as a proxy's 502, counts as a lost connection.
func StatusError(method string, status int) error {
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

// CodeOf gives a word for the log.
func CodeOf(err error) string {
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
