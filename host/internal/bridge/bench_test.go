package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// BenchmarkDelta measures what the bridge adds between a session's event and the
// frame that a reader of the run has: beside "raw", which hands the same events
// from the same gateway to the same readers. The metrics are the deltas' ages.
func BenchmarkDelta(b *testing.B) {
	for _, chats := range []int{1, 200} {
		b.Run(fmt.Sprintf("raw/chats=%d", chats), func(b *testing.B) { benchmark(b, chats, rawReader) })
		b.Run(fmt.Sprintf("bridge/chats=%d", chats), func(b *testing.B) { benchmark(b, chats, frameReader) })
	}
}

// benchmark lets the chats write 1,000 deltas a second (10,000 where there are 200),
// each stamped with the time of its making, and reads them all.
func benchmark(b *testing.B, chats int, open func(*testing.B, *Bridge, *disk, string) func() (string, bool)) {
	d := newDisk()
	br, err := New(Options{Harness: d, Dir: b.TempDir(), Workspace: b.TempDir(), Preset: "strata"})
	if err != nil {
		b.Fatal(err)
	}
	var ages []time.Duration
	var mu sync.Mutex
	var readers sync.WaitGroup
	var seen atomic.Int64
	for n := range chats {
		next := open(b, br, d, fmt.Sprint("c", n))
		readers.Go(func() {
			var own []time.Duration
			for text, ok := next(); ok; text, ok = next() {
				if at, err := strconv.ParseInt(text, 10, 64); err == nil {
					own = append(own, time.Since(time.Unix(0, at)))
					seen.Add(1)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			ages = append(ages, own...)
		})
	}
	d.mu.Lock()
	var turns []*session
	for _, s := range d.sessions {
		turns = append(turns, s)
	}
	d.mu.Unlock()
	every := time.Millisecond
	if chats > 1 {
		every = 20 * time.Millisecond
	}
	b.ResetTimer()
	var writers sync.WaitGroup
	for i, s := range turns {
		writers.Go(func() {
			time.Sleep(every * time.Duration(i) / time.Duration(len(turns)))
			tick := time.NewTicker(every)
			defer tick.Stop()
			for range max(b.N/len(turns), 1) {
				<-tick.C
				d.mu.Lock()
				s.append(dsh.TypeAssistantChunk, delta(strconv.FormatInt(time.Now().UnixNano(), 10)))
				d.mu.Unlock()
			}
		})
	}
	writers.Wait()
	b.StopTimer()
	sent := int64(len(turns) * max(b.N/len(turns), 1))
	for end := time.Now().Add(time.Minute); seen.Load() < sent; time.Sleep(time.Millisecond) { // what dies now is not read any more
		if time.Now().After(end) {
			b.Fatalf("%d of %d deltas came", seen.Load(), sent)
		}
	}
	for n := range chats {
		if _, err := br.Stop(b.Context(), chat.StopRequest{ChatID: fmt.Sprint("c", n)}); err != nil && code(err) != chat.CodeUnknownSession {
			b.Fatal(err)
		}
	}
	d.die()
	readers.Wait()
	if _, err := br.Close(context.Background()); err != nil {
		b.Fatal(err)
	}
	slices.Sort(ages)
	b.ReportMetric(float64(ages[len(ages)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(ages[len(ages)*99/100].Nanoseconds()), "p99-ns")
	b.ReportMetric(0, "ns/op")
}

func delta(text string) dsh.AssistantChunk {
	return dsh.AssistantChunk{Turn: 1, Step: 1, Chunk: dsh.Chunk{Type: "text-delta", Text: text}}
}

// started sends a message whose turn goes on until Stop, and waits until it runs.
func started(b *testing.B, br *Bridge, chatID string) Subscription {
	sub, err := br.Send(b.Context(), chat.StreamRequest{ChatID: chatID, RequestID: chatID, Text: "hang", Mode: "bypass"})
	if err != nil {
		b.Fatal(err)
	}
	for {
		f, err := sub.Next(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if running(f) {
			return sub
		}
	}
}

// frameReader reads a chat's deltas as a page does.
func frameReader(b *testing.B, br *Bridge, _ *disk, chatID string) func() (string, bool) {
	sub := started(b, br, chatID)
	return func() (string, bool) {
		f, err := sub.Next(b.Context())
		return strings.TrimSpace(f.Text), err == nil
	}
}

// rawReader reads a session's deltas from the gateway's stream. No bridge is there.
func rawReader(b *testing.B, _ *Bridge, d *disk, chatID string) func() (string, bool) {
	if _, err := d.Ensure(b.Context()); err != nil {
		b.Fatal(err)
	}
	id, err := d.current.CreateSession(b.Context(), "/", "")
	if err == nil {
		err = d.current.Prompt(b.Context(), gateway.Prompt{SessionID: id, RequestID: chatID, Text: "hang"})
	}
	if err != nil {
		b.Fatal(err)
	}
	s, err := d.current.Follow(b.Context(), id, 0)
	if err != nil {
		b.Fatal(err)
	}
	return func() (string, bool) {
		item, err := s.Next(b.Context())
		if err != nil {
			return "", false
		}
		return textOf(item), true
	}
}

func textOf(item gateway.Item) string {
	if item.Event.Type != dsh.TypeAssistantChunk {
		return ""
	}
	var c dsh.AssistantChunk
	_ = json.Unmarshal(item.Event.Data, &c)
	return c.Chunk.Text
}
