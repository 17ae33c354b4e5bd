package eventsmux_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/eventsmux"
	"strata.dev/bridge/host/internal/gateway/replay"
	"strata.dev/bridge/proto/dsh"
)

// The load that benches use gives what it says: each follower its own chat's
// deltas, all of them.
func TestLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		load := replay.Load{Chats: 20, Rate: 10}
		b.Open(load)
		got := make([]int, load.Chats)
		var wg sync.WaitGroup
		for n := range load.Chats {
			s, err := b.gw.Follow(t.Context(), replay.Chat(n), -1)
			if err != nil {
				t.Fatal(err)
			}
			wg.Go(func() {
				defer s.Close()
				got[n] = len(readTurn(t, s))
			})
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		sent := b.Stream(ctx, load)
		wg.Wait()
		total := 0
		for n, deltas := range got {
			if total += deltas; deltas < 49 || deltas > 51 {
				t.Errorf("chat %d got %d deltas in five seconds at ten a second", n, deltas)
			}
		}
		if total != sent {
			t.Errorf("%d deltas were followed, %d sent", total, sent)
		}
	})
}

// readTurn reads a load's turn to its end and gives how old each delta was.
func readTurn(t testing.TB, s gateway.Stream) (ages []time.Duration) {
	for {
		item, err := s.Next(t.Context())
		if err != nil {
			t.Error(err)
			return ages
		}
		if item.Event == nil {
			continue
		}
		if item.Event.Type == dsh.TypeTurnEnd {
			return ages
		}
		if c, ok := decoded[*dsh.AssistantChunk](*item.Event); ok {
			if at, ok := replay.Stamped(c.Chunk.Text); ok {
				ages = append(ages, time.Since(at))
			}
		}
	}
}

// How old a delta is when its reader has it, at 200 chats with 10 deltas a second
// each: over a Gateway with a follower per chat, beside one bare socket whose
// frames are only read, and one whose frames are also decoded.
func BenchmarkDeltaAge(b *testing.B) {
	load := replay.Load{Chats: 200, Rate: 10}
	b.Run("socket", func(b *testing.B) { benchmarkSocket(b, load, false) })
	b.Run("socket and JSON", func(b *testing.B) { benchmarkSocket(b, load, true) })
	b.Run("gateway", func(b *testing.B) { benchmarkGateway(b, load, false) })
	// The first chat's reader stops, and its chat writes a lot: the ages are the others'.
	heavy := load
	heavy.Text = func(chat, n int) string {
		if chat == 0 {
			return strings.Repeat("x", 256<<10)
		}
		return replay.Stamp(chat, n)
	}
	b.Run("gateway, one reader stops", func(b *testing.B) { benchmarkGateway(b, heavy, true) })
}

func benchmarkGateway(b *testing.B, load replay.Load, oneStops bool) {
	srv := replay.New(secret)
	web := httptest.NewServer(srv)
	defer web.Close()
	defer srv.Cut(nil)
	gw, err := eventsmux.Dial(b.Context(), eventsmux.Options{BaseURL: web.URL, Secret: secret})
	if err != nil {
		b.Fatal(err)
	}
	defer gw.Close()
	srv.Open(load)
	var mu sync.Mutex
	var ages []time.Duration
	var wg sync.WaitGroup
	for n := range load.Chats {
		s, err := gw.Follow(b.Context(), replay.Chat(n), -1)
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		if oneStops && n == 0 {
			continue
		}
		wg.Go(func() {
			own := readTurn(b, s)
			mu.Lock()
			defer mu.Unlock()
			ages = append(ages, own...)
		})
	}
	held := make(chan int)
	over, stop := context.WithCancel(b.Context())
	go func() { held <- most(over, gw) }()
	play(b, srv, load)
	wg.Wait()
	stop()
	b.ReportMetric(float64(<-held), "held-B")
	report(b, ages)
}

// most is the most that a stream of the Gateway has held, until the context ends.
func most(ctx context.Context, gw *eventsmux.Gateway) (held int) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		held = max(held, gw.Held())
		select {
		case <-tick.C:
		case <-ctx.Done():
			return held
		}
	}
}

// play streams for as long as the benchmark's N deltas take, three seconds at
// least.
func play(b *testing.B, srv *replay.Server, load replay.Load) {
	takes := max(3*time.Second, time.Duration(b.N/(load.Chats*load.Rate))*time.Second)
	ctx, cancel := context.WithTimeout(b.Context(), takes)
	defer cancel()
	b.ResetTimer()
	srv.Stream(ctx, load)
}

func report(b *testing.B, ages []time.Duration) {
	if len(ages) == 0 {
		b.Fatal("no delta came")
	}
	slices.Sort(ages)
	micros := func(p float64) float64 { return float64(ages[int(p*float64(len(ages)-1))].Microseconds()) }
	b.ReportMetric(micros(0.5), "p50-µs")
	b.ReportMetric(micros(0.99), "p99-µs")
	b.ReportMetric(float64(len(ages)), "deltas")
	b.ReportMetric(0, "ns/op")
}

func benchmarkSocket(b *testing.B, load replay.Load, decode bool) {
	srv := replay.New(secret)
	web := httptest.NewServer(srv)
	defer web.Close()
	header := http.Header{"Authorization": {"Bearer " + secret}}
	conn, _, err := websocket.DefaultDialer.DialContext(b.Context(), "ws"+strings.TrimPrefix(web.URL, "http")+"/api/events.mux", header)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	srv.Open(load)
	var ages []time.Duration
	read := make(chan struct{})
	go func() {
		defer close(read)
		const mark = `"text-delta","index":0,"text":"`
		for {
			_, raw, err := conn.ReadMessage()
			if err != nil {
				return
			}
			if decode {
				var f struct {
					Payload struct {
						SessionID string
						Event     dsh.Event
					}
				}
				_ = json.Unmarshal(raw, &f)
			}
			if _, rest, ok := strings.Cut(string(raw), mark); ok {
				if at, ok := replay.Stamped(rest[:strings.IndexByte(rest, '"')]); ok {
					ages = append(ages, time.Since(at))
				}
			}
		}
	}()
	play(b, srv, load)
	srv.Cut(nil)
	<-read
	report(b, ages)
}
