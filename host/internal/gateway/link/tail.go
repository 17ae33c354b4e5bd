package link

import (
	"encoding/json"
	"maps"
	"slices"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/proto/dsh"
)

// Page is a piece of a session's log, rising. The newest page has the projections
// of the same moment.
type Page struct {
	Events  []dsh.Event
	HasMore bool // older ones are there
	AsOf    int64
	Values  map[string]json.RawMessage
}

// Tail is the end of a session's log.
type Tail struct {
	Events  []dsh.Event // seq ≥ what was asked, rising
	Last    int64       // seq of the newest event, -1 for an empty log
	Running bool
	AsOf    int64
	Values  map[string]json.RawMessage
}

// ReadTail makes the events with seq ≥ from of the pages, which come newest first
// until visit has enough. With running it goes on until it knows whether a turn
// runs.
func ReadTail(from int64, running bool, pages func(visit func(Page) (enough bool)) error) (Tail, error) {
	t := Tail{Last: -1, AsOf: -1}
	var newestFirst [][]dsh.Event
	first, turnKnown := true, !running
	err := pages(func(p Page) bool {
		if first {
			t.AsOf, t.Values = p.AsOf, p.Values
			if len(p.Events) > 0 {
				t.Last = p.Events[len(p.Events)-1].Seq
			}
		}
		first = false
		if !turnKnown {
			t.Running, turnKnown = turnOpen(p.Events)
		}
		reached := len(p.Events) > 0 && p.Events[0].Seq <= from
		if i := slices.IndexFunc(p.Events, func(e dsh.Event) bool { return e.Seq >= from }); i >= 0 {
			newestFirst = append(newestFirst, p.Events[i:])
		}
		return reached && turnKnown
	})
	if err != nil {
		return Tail{}, err
	}
	slices.Reverse(newestFirst)
	t.Events = slices.Concat(newestFirst...)
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

// Snapshot gives the tail as a gateway's.
func (t Tail) Snapshot() gateway.Snapshot {
	return gateway.Snapshot{Events: t.Events, LastSeq: t.Last, Running: t.Running, Projections: t.Values}
}

// Missed gives what a reader has to be given who had last as its newest event (of
// which at first only Seq is known): the events after it, then the projections.
// ErrRewound: the log does not go on from there.
func (t Tail) Missed(last dsh.Event) ([]gateway.Item, error) {
	for _, e := range t.Events {
		if e.Seq == last.Seq && last.Type != "" && (e.Type != last.Type || e.Time != last.Time) {
			return nil, gateway.ErrRewound
		}
	}
	if t.Last < last.Seq {
		return nil, gateway.ErrRewound
	}
	items := make([]gateway.Item, 0, len(t.Events)+len(t.Values))
	newest := last.Seq
	for i := range t.Events {
		if e := &t.Events[i]; e.Seq > newest {
			items = append(items, gateway.Item{Event: e})
			newest = e.Seq
		}
	}
	for _, key := range slices.Sorted(maps.Keys(t.Values)) {
		items = append(items, gateway.Item{Projection: &gateway.Projection{Key: key, Value: t.Values[key], Seq: t.AsOf}})
	}
	return items, nil
}
