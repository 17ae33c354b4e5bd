package eventsmux

import (
	"context"
	"encoding/json"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/link"
	"strata.dev/bridge/proto/dsh"
)

// session.history gives pages of whole messages (with all the events between
// them), newest first; the tail page also has the projections of the same moment.
// What a reader missed is mostly short, so pages begin small and grow.
const (
	firstPage = 4   // messages
	maxPage   = 256 // messages
)

// page is one answer of session.history.
type page struct {
	Events []struct {
		Event dsh.Event `json:"event"`
	} `json:"events"`
	HasMore     bool `json:"hasMore"`
	Projections *struct {
		AsOfSeq int64                      `json:"asOfSeq"`
		Values  map[string]json.RawMessage `json:"values"`
	} `json:"projections"` // tail page only
}

// tidy gives the page without the events that could not be read.
func (p page) tidy() link.Page {
	out := link.Page{Events: make([]dsh.Event, 0, len(p.Events)), HasMore: p.HasMore, AsOf: -1}
	for _, e := range p.Events {
		if e.Event.Type != "" {
			out.Events = append(out.Events, e.Event)
		}
	}
	if p.Projections != nil {
		out.AsOf, out.Values = p.Projections.AsOfSeq, p.Projections.Values
	}
	return out
}

// pages reads a session's log backwards until visit says that it has enough. A
// session that is not attached is read from its file and stays so.
func (g *Gateway) pages(ctx context.Context, sessionID string, visit func(link.Page) (enough bool)) error {
	const method = "session.history"
	arg := struct {
		SessionID string `json:"sessionId"`
		Before    *int64 `json:"beforeSeq,omitempty"`
		Messages  int    `json:"maxMessages"`
	}{SessionID: sessionID, Messages: firstPage}
	for {
		var p page
		if err := g.call(ctx, method, arg, &p); err != nil {
			return err
		}
		if visit(p.tidy()) || !p.HasMore || len(p.Events) == 0 {
			return nil
		}
		oldest := p.Events[0].Event.Seq
		if arg.Before != nil && oldest >= *arg.Before {
			return &gateway.Error{Method: method, Code: gateway.CodeProtocol, Message: "pages do not go backwards"}
		}
		arg.Before, arg.Messages = &oldest, min(arg.Messages*4, maxPage)
	}
}

// readTail reads the log's events with seq ≥ from. With running it goes on reading
// until it knows whether a turn runs.
func (g *Gateway) readTail(ctx context.Context, sessionID string, from int64, running bool) (link.Tail, error) {
	return link.ReadTail(from, running, func(visit func(link.Page) bool) error {
		return g.pages(ctx, sessionID, visit)
	})
}

// Snapshot reads a session's state; a cold session stays cold.
func (g *Gateway) Snapshot(ctx context.Context, sessionID string, from int64) (gateway.Snapshot, error) {
	t, err := g.readTail(ctx, sessionID, from, true)
	if err != nil {
		return gateway.Snapshot{}, err
	}
	return t.Snapshot(), nil
}
