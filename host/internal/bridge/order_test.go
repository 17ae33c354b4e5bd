package bridge

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"strata.dev/bridge/proto/chat"
)

var seeds = flag.Uint64("seeds", 60, "how many orders TestAnyOrder plays")

// scripts are what messages of TestAnyOrder do.
var scripts = []string{
	"say one two; run ls; say three", "ask rm x; say done", "hang", "wait 20; say late", "fail AUTH",
	"helper ask_rm; say after", "spawn wait_30+say_found; say started", "spawn ask_rm", "spawn hang; wait 10",
}

// TestAnyOrder does what persons, networks and processes do, in any order, on two
// chats. Whatever happened, every run ends with one last frame and no hole, no
// chat is stuck, and nothing runs or waits afterwards that no one sees.
func TestAnyOrder(t *testing.T) {
	for seed := range *seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			play(t, func(s *stage) { anyOrder(s, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

func anyOrder(s *stage, r *rand.Rand) {
	subs := map[string][]Subscription{}
	one := func(chatID string) Subscription { all := subs[chatID]; return all[r.IntN(len(all))] }
	stops := 0
	stopped := make(chan struct{}, 100)
	for range 40 {
		chatID := []string{"c1", "c2"}[r.IntN(2)]
		switch n := r.IntN(20); {
		case n < 6:
			subs[chatID] = append(subs[chatID], s.send(chatID, scripts[r.IntN(len(scripts))]))
		case n < 11:
			if p := s.b.Pending(chatID); len(p) > 0 {
				q := p[r.IntN(len(p))]
				_ = s.answer(chat.ApprovalRequest{SessionID: chatID, ToolID: q.Tool.ID, Decision: []string{chat.Approve, chat.Deny}[r.IntN(2)]})
			}
		case n < 13:
			stops++
			go func() {
				if _, err := s.b.Stop(s.t.Context(), chat.StopRequest{ChatID: chatID}); err != nil && code(err) != chat.CodeUnknownSession {
					s.t.Errorf("stop: %v", err)
				}
				stopped <- struct{}{}
			}()
		case n < 14:
			s.d.die()
		case n < 16 && len(subs[chatID]) > 0:
			log := one(chatID).(*reader).log
			if again, err := s.b.Attach(s.t.Context(), chatID, log.run, int64(r.IntN(5))); err == nil {
				again.Close()
			}
		case n < 17:
			method := []string{"Prompt", "Prompted", "Answer", "Cancel", "Snapshot", "Execute /permission"}[r.IntN(6)]
			left := 2
			s.d.on(method, func(ctx) error {
				s.d.mu.Lock()
				defer s.d.mu.Unlock()
				if left--; left >= 0 {
					return errLost
				}
				return nil
			})
		default:
			time.Sleep(time.Duration(r.IntN(40)) * time.Millisecond)
		}
		if r.IntN(2) == 0 {
			synctest.Wait()
		}
	}
	s.d.mu.Lock()
	clear(s.d.faults)
	s.d.mu.Unlock()
	for range stops {
		select {
		case <-stopped:
		case <-time.After(10 * time.Minute):
			s.dump()
			s.t.Fatal("a Stop was not answered")
		}
	}
	for _, chatID := range []string{"c1", "c2"} { // whoever waits for an answer gets a no
		for c := s.b.known(chatID); c != nil && len(c.waiting()) > 0; {
			time.Sleep(50 * time.Millisecond)
			synctest.Wait()
			for _, q := range s.b.Pending(chatID) {
				if err := s.answer(chat.ApprovalRequest{SessionID: chatID, ToolID: q.Tool.ID, Decision: chat.Deny}); err != nil {
					s.t.Errorf("answer: %v", err)
				}
			}
			if r := c.current(); r != nil && now()-r.started > 60_000 { // it hangs, as told
				s.stop(chatID)
			}
		}
		for _, sub := range subs[chatID] {
			s.whole(sub)
		}
	}
	synctest.Wait()
	s.d.mu.Lock()
	for _, x := range s.d.sessions {
		if x.parent == "" && x.turn != nil {
			s.t.Errorf("a turn of %s is still open", x.id)
		}
	}
	s.d.mu.Unlock()
	for _, chatID := range []string{"c1", "c2"} {
		got := s.run(chatID, "say alive")
		if last := got[len(got)-1]; last.Type != chat.Done {
			s.t.Errorf("%s is stuck: %v", chatID, told(got))
		}
	}
}

// dump tells how everything stands.
func (s *stage) dump() {
	for _, c := range s.b.chats {
		for _, r := range c.waiting() {
			s.t.Logf("%s: run %s %q: %+v", c.id, r.id, r.req.Text, r.state)
		}
	}
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	for _, x := range s.d.sessions {
		s.t.Logf("%s of %q: turn %v, %d wait", x.id, x.parent, x.turn != nil, len(x.waiting))
		for _, e := range x.log[max(0, len(x.log)-6):] {
			s.t.Logf("  %d %s %.200s", e.Seq, e.Type, e.Data)
		}
	}
	s.t.Logf("last calls: %v", s.d.calls[max(0, len(s.d.calls)-30):])
}

// whole reads a run's frames: no hole, one last frame, no card left open.
func (s *stage) whole(sub Subscription) {
	s.t.Helper()
	var last chat.Frame
	cards := map[string]chat.ToolState{}
	for {
		f, err := sub.Next(s.t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || f.Seq != last.Seq+1 || last.Type.Ends() {
			s.t.Fatalf("after %+v comes %+v, %v", last, f, err)
		}
		if last = f; f.Tool != nil {
			cards[f.Tool.ID] = f.Tool.State
		}
	}
	if !last.Type.Ends() {
		s.t.Errorf("the last frame is %+v", last)
	}
	for id, state := range cards {
		if state == chat.ToolRunning || state == chat.ToolProposed {
			s.t.Errorf("the card %s is left %s in %s", id, state, last.Type)
		}
	}
}
