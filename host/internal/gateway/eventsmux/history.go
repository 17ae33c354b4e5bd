package eventsmux

import (
	"context"
	"encoding/json"
	"slices"

	"strata.dev/bridge/host/internal/gateway"
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

// events gives the page's events, without those that could not be read.
func (p page) events() []dsh.Event {
	list := make([]dsh.Event, 0, len(p.Events))
	for _, e := range p.Events {
		if e.Event.Type != "" {
			list = append(list, e.Event)
		}
	}
	return list
}

// pages reads a session's log backwards until visit says that it has enough. A
// session that is not attached is read from its file and stays so.
func (g *Gateway) pages(ctx context.Context, sessionID string, visit func(page) (enough bool)) error {
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
		if visit(p) || !p.HasMore || len(p.Events) == 0 {
			return nil
		}
		oldest := p.Events[0].Event.Seq
		if arg.Before != nil && oldest >= *arg.Before {
			return &gateway.Error{Method: method, Code: gateway.CodeProtocol, Message: "pages do not go backwards"}
		}
		arg.Before, arg.Messages = &oldest, min(arg.Messages*4, maxPage)
	}
}

// tail is the end of a session's log.
type tail struct {
	events  []dsh.Event // seq ≥ what was asked, rising
	last    int64       // seq of the newest event, -1 for an empty log
	running bool
	asOf    int64
	values  map[string]json.RawMessage
}

// readTail reads the log's events with seq ≥ from. With running it goes on reading
// until it knows whether a turn runs.
func (g *Gateway) readTail(ctx context.Context, sessionID string, from int64, running bool) (tail, error) {
	t := tail{last: -1, asOf: -1}
	var newestFirst [][]dsh.Event
	first, turnKnown := true, !running
	err := g.pages(ctx, sessionID, func(p page) bool {
		events := p.events()
		if first && len(events) > 0 {
			t.last = events[len(events)-1].Seq
		}
		if first && p.Projections != nil {
			t.asOf, t.values = p.Projections.AsOfSeq, p.Projections.Values
		}
		first = false
		if !turnKnown {
			t.running, turnKnown = turnOpen(events)
		}
		reached := len(events) > 0 && events[0].Seq <= from
		if i := slices.IndexFunc(events, func(e dsh.Event) bool { return e.Seq >= from }); i >= 0 {
			newestFirst = append(newestFirst, events[i:])
		}
		return reached && turnKnown
	})
	if err != nil {
		return tail{}, err
	}
	slices.Reverse(newestFirst)
	t.events = slices.Concat(newestFirst...)
	return t, nil
}

// turnOpen tells whether the last turn in events has not ended; known is false
// when they hold neither its start nor its end.
func turnOpen(events []dsh.Event) (open, known bool) {
	for _, e := range slices.Backward(events) {
		switch e.Type {
		case dsh.TypeTurnStart:
			return true, true
		case dsh.TypeTurnEnd:
			return false, true
		}
	}
	return false, false
}

// Snapshot reads a session's state; a cold session stays cold.
func (g *Gateway) Snapshot(ctx context.Context, sessionID string, from int64) (gateway.Snapshot, error) {
	t, err := g.readTail(ctx, sessionID, from, true)
	if err != nil {
		return gateway.Snapshot{}, err
	}
	return gateway.Snapshot{Events: t.events, LastSeq: t.last, Running: t.running, Projections: t.values}, nil
}
