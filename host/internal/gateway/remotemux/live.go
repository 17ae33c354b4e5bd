package remotemux

import (
	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/proto/dsh"
)

// answer is the attempt whose deltas a stream gives: by it a reader gets each chunk
// once and in order, also where the stream was opened again. A Harness that was
// started again uses the ids of its attempts again, for other turns.
type answer struct {
	attempt    string // "": none is being made
	turn, step int
	index      int   // index of the next chunk
	revision   int64 // of the last frame
	ended      int64 // seq of the event that the reader has got for it, 0: none
	endedAs    string
}

// next takes a frame that came. It gives what the reader gets of it, nil for what it
// has already; false: something is missing.
func (a *answer) next(f dsh.Live) (*dsh.Live, bool) {
	switch f.Type {
	case dsh.LiveStart:
		if a.is(f.AttemptID, f.Turn, f.Step) {
			return nil, true
		}
		if a.attempt != "" {
			return nil, false // its end did not come
		}
		*a = answer{attempt: f.AttemptID, turn: f.Turn, step: f.Step, revision: f.Revision}
		return &f, true
	case dsh.LiveChunk:
		switch {
		case f.AttemptID != a.attempt && f.Revision <= a.revision:
			return nil, true // of one that was over when the snapshot was made
		case f.AttemptID != a.attempt || f.Index > a.index || f.Chunk == nil:
			return nil, false
		case f.Index < a.index:
			return nil, true
		}
		a.index++
	case dsh.LiveEnd:
		switch {
		case f.AttemptID != a.attempt:
			return nil, a.attempt == ""
		case f.Index > a.index:
			return nil, false
		}
		f.Turn, f.Step = a.turn, a.step
		*a = answer{revision: f.Revision}
		return &f, true
	default:
		return nil, true
	}
	a.revision = f.Revision
	f.Turn, f.Step = a.turn, a.step
	return &f, true
}

// is tells whether that attempt is the one that is being made.
func (a *answer) is(attempt string, turn, step int) bool {
	return a.attempt != "" && a.attempt == attempt && a.turn == turn && a.step == step
}

// logged takes in an event: the attempt may be over by it, which its end says again.
func (a *answer) logged(e dsh.Event) {
	if turn, step, ok := made(e); ok && a.attempt != "" && turn == a.turn && step == a.step {
		a.ended, a.endedAs = e.Seq, e.Type
	}
}

// made reads the turn and step of an event that an attempt ends as.
func made(e dsh.Event) (turn, step int, ok bool) {
	if e.Type != dsh.TypeAssistantMessage && e.Type != dsh.TypeAssistantAttempt {
		return 0, 0, false
	}
	v, _ := dsh.Decode(e)
	switch v := v.(type) {
	case *dsh.AssistantMessage:
		return v.Turn, v.Step, true
	case *dsh.AssistantAttempt:
		return v.Turn, v.Step, true
	}
	return 0, 0, false
}

// resume puts into what a snapshot gave what the reader has missed of the deltas: the
// end of the attempt it knew, where that is over, and what came of the one that is
// being made.
func (a *answer) resume(items []gateway.Item, snap snapshot) []gateway.Item {
	var now *dsh.Attempt
	if snap.Live != nil {
		now = snap.Live.Attempt
	}
	out := make([]gateway.Item, 0, len(items)+1)
	known := a.attempt != "" && (now == nil || !a.is(now.AttemptID, now.Turn, now.Step))
	for i, item := range items {
		if known && item.Event == nil { // behind the events, before the projections
			out, known = append(out, a.over()), false
		}
		out = append(out, items[i])
		if item.Event != nil && known {
			if a.logged(*item.Event); a.ended == item.Event.Seq {
				out, known = append(out, a.over()), false
			}
		}
	}
	if known {
		out = append(out, a.over())
	}
	if snap.Live != nil {
		a.revision = snap.Live.Revision
	}
	if now == nil {
		return out
	}
	return append(out, a.running(now)...)
}

// over gives the end of the attempt that was known.
func (a *answer) over() gateway.Item {
	end := &dsh.Live{
		Type: dsh.LiveEnd, AttemptID: a.attempt, Turn: a.turn, Step: a.step, Index: a.index, Revision: a.revision,
		Outcome: &dsh.Outcome{Kind: dsh.Abandoned},
	}
	if a.endedAs != "" {
		end.Outcome = &dsh.Outcome{Kind: dsh.Committed, EventType: a.endedAs, Seq: a.ended}
	}
	*a = answer{}
	return gateway.Item{Live: end}
}

// running gives what the reader has not got of the attempt that is being made. Where
// its records do not have one chunk for each index, it is given from its start.
func (a *answer) running(now *dsh.Attempt) []gateway.Item {
	var out []gateway.Item
	chunks := dsh.Unpack(now.Stream)
	if !a.is(now.AttemptID, now.Turn, now.Step) || len(chunks) != now.NextIndex || a.index > now.NextIndex {
		revision := a.revision
		*a = answer{attempt: now.AttemptID, turn: now.Turn, step: now.Step, revision: revision}
		out = append(out, gateway.Item{Live: &dsh.Live{
			Type: dsh.LiveStart, AttemptID: now.AttemptID, Revision: revision,
			StartedAfterSeq: now.StartedAfterSeq, Turn: now.Turn, Step: now.Step,
		}})
	}
	for i := a.index; i < len(chunks); i++ {
		out = append(out, gateway.Item{Live: &dsh.Live{
			Type: dsh.LiveChunk, AttemptID: now.AttemptID, Revision: a.revision, Turn: now.Turn, Step: now.Step,
			Index: i, Time: chunks[i].Time, Chunk: &chunks[i].Chunk,
		}})
	}
	a.index = now.NextIndex
	return out
}
