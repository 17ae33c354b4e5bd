package remotemux_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/remotemux"
	"strata.dev/bridge/host/internal/gateway/remotemux/double"
	"strata.dev/bridge/proto/dsh"
)

// BenchmarkDeltaAge measures how old a delta is when its reader has it, at 200 chats
// with 10 deltas a second each: with a reader for each, and where one of them stops
// while its chat writes a lot (the ages are the others').
func BenchmarkDeltaAge(b *testing.B) {
	b.Run("gateway", func(b *testing.B) { benchmarkAges(b, false) })
	b.Run("gateway, one reader stops", func(b *testing.B) { benchmarkAges(b, true) })
}

func benchmarkAges(b *testing.B, oneStops bool) {
	const chats, every, takes = 200, 100 * time.Millisecond, 3 * time.Second
	srv := double.New(token)
	web := httptest.NewServer(srv)
	defer web.Close()
	defer srv.Cut(nil)
	gw, err := remotemux.Dial(b.Context(), remotemux.Options{Launch: remotemux.Launch{BaseURL: web.URL, Token: token}})
	if err != nil {
		b.Fatal(err)
	}
	defer gw.Close()
	over, stop := context.WithTimeout(b.Context(), takes)
	defer stop()
	var mu sync.Mutex
	var ages []time.Duration
	var readers, writers sync.WaitGroup
	for n := range chats {
		se := srv.Create(member(n), "/repo")
		s, err := gw.Follow(b.Context(), se.ID, -1)
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		heavy := oneStops && n == 0
		if !heavy {
			readers.Go(func() {
				own := agesOf(b, s)
				mu.Lock()
				defer mu.Unlock()
				ages = append(ages, own...)
			})
		}
		writers.Go(func() { write(over, se, every, heavy, time.Duration(n)*every/chats) })
	}
	held := 0
	for over.Err() == nil {
		held = max(held, gw.Held())
		time.Sleep(20 * time.Millisecond)
	}
	writers.Wait()
	readers.Wait()
	if len(ages) == 0 {
		b.Fatal("no delta came")
	}
	slices.Sort(ages)
	b.ReportMetric(float64(ages[len(ages)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(ages[len(ages)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(float64(len(ages)), "deltas")
	b.ReportMetric(float64(held), "held-B")
	b.ReportMetric(0, "ns/op")
}

// write streams an answer whose deltas say when they were made, and ends it.
func write(ctx context.Context, se *double.Session, every time.Duration, heavy bool, after time.Duration) {
	select {
	case <-time.After(after):
	case <-ctx.Done():
	}
	se.Start(1, 1)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for ctx.Err() == nil {
		text := strconv.FormatInt(time.Now().UnixNano(), 10)
		if heavy {
			text = strings.Repeat("x", 256<<10)
		}
		se.Delta(dsh.Chunk{Type: "text-delta", Text: text}, false)
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	se.Append(dsh.TypeTurnEnd, dsh.TurnEnd{Turn: 1})
}

// agesOf reads to the turn's end.
func agesOf(b *testing.B, s gateway.Stream) (ages []time.Duration) {
	for {
		item, err := s.Next(b.Context())
		switch {
		case err != nil:
			b.Error(err)
			return ages
		case item.Event != nil && item.Event.Type == dsh.TypeTurnEnd:
			return ages
		case item.Live != nil && item.Live.Type == dsh.LiveChunk:
			if at, err := strconv.ParseInt(item.Live.Chunk.Text, 10, 64); err == nil {
				ages = append(ages, time.Since(time.Unix(0, at)))
			}
		}
	}
}
