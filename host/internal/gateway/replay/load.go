package replay

import (
	"context"
	"strconv"
	"sync"
	"time"

	"strata.dev/bridge/proto/dsh"
)

// Load is a number of chats that stream at once, for benches: the Harness itself
// saturates near 2,400 deltas a second on two cores (harness-rc8.md §11).
type Load struct {
	Chats int
	// Rate is the deltas of one chat in a second.
	Rate int
	// Text makes a delta's text; nil takes Stamp.
	Text func(chat, n int) string
	// Plain leaves out the projections. The Harness sends about one for each event.
	Plain bool
}

// Stamp makes a text that tells when it was made; Stamped reads it.
func Stamp(int, int) string { return strconv.FormatInt(time.Now().UnixNano(), 10) + " " }

// Stamped gives the time that Stamp put into text; false for any other text.
func Stamped(text string) (time.Time, bool) {
	if text == "" {
		return time.Time{}, false
	}
	ns, err := strconv.ParseInt(text[:len(text)-1], 10, 64)
	return time.Unix(0, ns), err == nil
}

// Chat names the session of a load's chat, from 0.
func Chat(n int) string { return "load-" + strconv.Itoa(n) }

// Open makes the load's sessions, each in an open turn, so that they can be
// followed before they stream.
func (s *Server) Open(l Load) {
	for n := range l.Chats {
		se := s.Create(Chat(n), "/repo")
		se.Append(dsh.TypeTurnStart, dsh.Turn{Turn: 1})
		se.Append(dsh.TypeStepStart, dsh.Step{Turn: 1, Step: 1})
	}
}

// Stream plays the load until the context ends, closes the turns, and gives how
// many deltas were sent. The chats' deltas are spread over time. A machine that
// cannot keep up sends fewer.
func (s *Server) Stream(ctx context.Context, l Load) int {
	if l.Text == nil {
		l.Text = Stamp
	}
	every := time.Second / time.Duration(l.Rate)
	sent := make([]int, l.Chats)
	var wg sync.WaitGroup
	for n := range l.Chats {
		wg.Go(func() {
			select {
			case <-time.After(every * time.Duration(n) / time.Duration(l.Chats)):
			case <-ctx.Done():
				return
			}
			sent[n] = s.stream(ctx, s.Session(Chat(n)), n, every, l)
		})
	}
	wg.Wait()
	total := 0
	for _, n := range sent {
		total += n
	}
	return total
}

func (s *Server) stream(ctx context.Context, se *Session, chat int, every time.Duration, l Load) (sent int) {
	chunk := func(c dsh.Chunk) {
		se.Append(dsh.TypeAssistantChunk, dsh.AssistantChunk{Turn: 1, Step: 1, Chunk: c})
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	chunk(dsh.Chunk{Type: "block-start", BlockType: "text"})
	for ctx.Err() == nil {
		chunk(dsh.Chunk{Type: "text-delta", Text: l.Text(chat, sent)})
		if !l.Plain {
			se.Project(dsh.KeySessionStats, dsh.SessionStats{Turns: 1, Steps: 1, DecodeTokens: int64(sent)})
		}
		sent++
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	se.Append(dsh.TypeStepEnd, dsh.Step{Turn: 1, Step: 1})
	se.Append(dsh.TypeTurnEnd, dsh.TurnEnd{Turn: 1, Reason: dsh.EndReason{Kind: "completed"}})
	return sent
}
