package remotemux

import (
	"context"
	"encoding/json"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/link"
	"strata.dev/bridge/proto/dsh"
)

// A session's log is read from its end (harness-wire.md §5.1, §5.2): a snapshot, and
// pages before it. What a reader missed is mostly short, so pages begin small and
// grow.
const (
	firstPage = 8   // messages
	maxPage   = 256 // messages
)

// projections are folded values as of a seq.
type projections struct {
	AsOfSeq int64                      `json:"asOfSeq"`
	Values  map[string]json.RawMessage `json:"values"`
}

// record is one entry of a snapshot or a page.
type record struct {
	Type  string    `json:"type"`
	Event dsh.Event `json:"event"`
}

// snapshot is the first item of session/follow.
type snapshot struct {
	Type        string       `json:"type"`
	Cursor      int64        `json:"cursor"`
	Records     []record     `json:"records"`
	HasMore     bool         `json:"hasMore"`
	Projections *projections `json:"projections"`
	Live        *struct {
		Revision int64        `json:"revision"`
		Attempt  *dsh.Attempt `json:"activeAttempt"`
	} `json:"assistantStream"`
}

// followArgs are the arguments of session/follow.
type followArgs struct {
	Address     address `json:"address"`
	MaxMessages int     `json:"maxMessages"`
	Live        bool    `json:"assistantStream,omitempty"`
}

// decode fills out. A field of a strange type is counted and the rest used; false:
// it is nothing that can be read.
func (g *Gateway) decode(what string, raw json.RawMessage, out any) bool {
	err := json.Unmarshal(raw, out)
	if err == nil {
		return true
	}
	g.counts.Add(dsh.SkipWrong, what)
	wrong, ok := err.(*json.UnmarshalTypeError)
	return ok && wrong.Field != ""
}

func (g *Gateway) events(records []record) []dsh.Event {
	list := make([]dsh.Event, 0, len(records))
	for _, r := range records {
		if r.Type != "event" || r.Event.Type == "" {
			g.counts.Add(dsh.SkipType, "record "+r.Type)
			continue
		}
		list = append(list, r.Event)
	}
	return list
}

// snapshot reads the first item of session/follow.
func (g *Gateway) snapshot(raw json.RawMessage) (snapshot, error) {
	s := snapshot{Cursor: -2}
	if !g.decode("session/follow snapshot", raw, &s) || s.Type != "snapshot" || s.Cursor < -1 {
		return s, &gateway.Error{Method: "session/follow", Code: gateway.CodeProtocol, Message: "the stream does not begin with a snapshot"}
	}
	return s, nil
}

// first opens a session's stream for its snapshot alone. The Harness makes the
// session's agent live by it.
func (g *Gateway) first(ctx context.Context, at address) (s snapshot, err error) {
	if err := g.state.Await(ctx); err != nil {
		return s, err
	}
	sock, err := g.socket()
	if err != nil {
		return s, err
	}
	ctx, cancel := g.caller.During(ctx)
	defer cancel()
	one := newOnce()
	id, err := sock.stream("session/follow", wrapped{followArgs{Address: at, MaxMessages: firstPage}}, one)
	if err != nil {
		return s, err
	}
	defer sock.cancel(id)
	select {
	case r := <-one.got:
		if r.err != nil {
			return s, r.err
		}
		return g.snapshot(r.value)
	case <-ctx.Done():
		return s, context.Cause(ctx)
	}
}

// cold reads the end of a session's log without making its agent live, where this
// Harness can (from 0.2 on): false where it cannot, or where what it says may not be
// the end. Projections may come from a cache that is behind the log; then the log
// goes on after them, which a page tells.
func (g *Gateway) cold(ctx context.Context, at address) (snapshot, bool) {
	if at.Kind != "session" {
		return snapshot{}, false
	}
	var p *projections
	err := g.call(ctx, "session/projections", wrapped{struct {
		SessionID string `json:"sessionId"`
	}{at.Session}}, &p)
	if err != nil || p == nil || p.AsOfSeq < 0 {
		return snapshot{}, false
	}
	if _, err := g.page(ctx, at, p.AsOfSeq+1, nil, 1); !gateway.IsCode(err, gateway.CodeBadRequest) {
		return snapshot{}, false
	}
	s, err := g.page(ctx, at, p.AsOfSeq, nil, firstPage)
	s.Cursor, s.Projections = p.AsOfSeq, p
	return s, err == nil
}

// page reads records before a seq; nil: the newest as of through.
func (g *Gateway) page(ctx context.Context, at address, through int64, before *int64, messages int) (snapshot, error) {
	var s snapshot
	err := g.call(ctx, "session/page", wrapped{struct {
		Address  address `json:"address"`
		Through  int64   `json:"throughSeq"`
		Before   *int64  `json:"beforeSeq,omitempty"`
		Messages int     `json:"maxMessages"`
	}{at, through, before, messages}}, &s)
	return s, err
}

// pages gives a snapshot and the pages before it, until visit has enough.
func (g *Gateway) pages(ctx context.Context, at address, s snapshot, visit func(link.Page) (enough bool)) error {
	p := link.Page{Events: g.events(s.Records), HasMore: s.HasMore, AsOf: -1}
	if s.Projections != nil {
		p.AsOf, p.Values = s.Projections.AsOfSeq, s.Projections.Values
	}
	messages, before := firstPage, s.Cursor+1
	for {
		if visit(p) || !p.HasMore || len(p.Events) == 0 {
			return nil
		}
		if p.Events[0].Seq >= before {
			return &gateway.Error{Method: "session/page", Code: gateway.CodeProtocol, Message: "pages do not go backwards"}
		}
		before, messages = p.Events[0].Seq, min(messages*4, maxPage)
		older, err := g.page(ctx, at, s.Cursor, &before, messages)
		if err != nil {
			return err
		}
		p = link.Page{Events: g.events(older.Records), HasMore: older.HasMore, AsOf: -1}
	}
}

// read reads a session's log from its end, until visit has enough. Live says that
// the session has an agent anyway, so that the short way can be taken.
func (g *Gateway) read(ctx context.Context, sessionID string, live bool, visit func(link.Page) (enough bool)) error {
	return g.addressed(ctx, sessionID, func(at address) error {
		var s snapshot
		ok := false
		if !live {
			s, ok = g.cold(ctx, at)
		}
		if !ok {
			var err error
			if s, err = g.first(ctx, at); err != nil {
				return err
			}
		}
		return g.pages(ctx, at, s, visit)
	})
}

// Snapshot reads a session's state. A cold session stays cold from 0.2 on; before,
// the Harness has no way to read one that does not make its agent live.
func (g *Gateway) Snapshot(ctx context.Context, sessionID string, from int64) (gateway.Snapshot, error) {
	t, err := link.ReadTail(from, true, func(visit func(link.Page) bool) error {
		return g.read(ctx, sessionID, false, visit)
	})
	if err != nil {
		return gateway.Snapshot{}, err
	}
	return t.Snapshot(), nil
}
