//go:build unix

package remotemux_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/gatewaytest"
	"strata.dev/bridge/host/internal/gateway/remotemux"
	"strata.dev/bridge/host/internal/gateway/remotemux/double"
	"strata.dev/bridge/proto/dsh"
)

// crowd is how many sessions are followed at once, and the deltas that each writes.
const crowd, deltas = 1000, 50

func member(n int) string { return "s" + strconv.Itoa(n) }

// crowded is a frame replayer in a process of its own: POST /play writes the crowd's
// deltas.
func crowded() http.Handler {
	srv := double.New(token)
	for i := range crowd {
		srv.Create(member(i), "/repo").Append(dsh.TypeTurnStart, dsh.Turn{Turn: 1})
	}
	mux := http.NewServeMux()
	mux.Handle("/", srv)
	mux.HandleFunc("/play", func(http.ResponseWriter, *http.Request) {
		for n := range deltas {
			for i := range crowd {
				se := srv.Session(member(i))
				if n == 0 {
					se.Start(1, 1)
				}
				se.Delta(dsh.Chunk{Type: "text-delta", Text: "some words of an answer " + strconv.Itoa(n)}, false)
			}
		}
	})
	return mux
}

// BenchmarkThousandSessions measures what 1,000 followed sessions cost this process:
// the Gateway with a follower for each, beside one socket whose frames are read and
// decoded, which is the limit for the same bytes.
func BenchmarkThousandSessions(b *testing.B) {
	var raw, gw gatewaytest.Cost
	var held int64
	for range b.N {
		raw.CPU += rawCrowd(b, gatewaytest.Child(b, "crowd")).CPU
		c, each := gatewayCrowd(b, gatewaytest.Child(b, "crowd"))
		gw.CPU += c.CPU
		held += each
	}
	frames := float64(b.N * crowd * deltas)
	b.ReportMetric(float64(raw.CPU.Nanoseconds())/frames, "raw-ns/frame")
	b.ReportMetric(float64(gw.CPU.Nanoseconds())/frames, "gateway-ns/frame")
	b.ReportMetric(float64(gw.CPU)/float64(raw.CPU), "x-of-raw")
	b.ReportMetric(float64(gw.CPU.Microseconds())/float64(b.N*crowd), "µs/session")
	b.ReportMetric(float64(held/int64(b.N)), "B/session")
	b.ReportMetric(0, "ns/op")
}

func order(b *testing.B, url string) {
	res, err := http.Post(url+"/play", "text/plain", strings.NewReader(""))
	if err != nil {
		b.Error(err)
		return
	}
	_ = res.Body.Close()
}

func rawCrowd(b *testing.B, address string) gatewaytest.Cost {
	base, err := url.Parse(address)
	if err != nil {
		b.Fatal(err)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	cookie, err := remotemux.Login(b.Context(), client, base, token, http.Header{})
	if err != nil {
		b.Fatal(err)
	}
	conn, _, err := websocket.DefaultDialer.DialContext(b.Context(), "ws://"+base.Host+"/api/remote.mux", http.Header{"Cookie": {cookie}})
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	for i := range crowd {
		frame, err := dsh.OpenFrame(member(i), "session/follow", json.RawMessage(
			`{"request":{"address":{"kind":"session","sessionId":"`+member(i)+`"},"assistantStream":true}}`))
		if err == nil {
			err = conn.WriteMessage(websocket.TextMessage, frame)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	read := func(want string, n int) {
		for n > 0 {
			_, data, err := conn.ReadMessage()
			if err != nil {
				b.Fatal(err)
			}
			var f struct {
				Type, StreamID string
				Value          struct {
					Type  string
					Event dsh.Event
					Frame dsh.Live
				}
			}
			if err := json.Unmarshal(data, &f); err != nil {
				b.Fatal(err)
			}
			if f.Value.Type == want && (want == "snapshot" || f.Value.Frame.Type == dsh.LiveChunk) {
				n--
			}
		}
	}
	read("snapshot", crowd)
	return gatewaytest.Spent(b, func() {
		go order(b, address)
		read("assistant-stream", crowd*deltas)
	})
}

// gatewayCrowd gives the cost of the deltas, and the bytes that each follower holds
// when it has read them.
func gatewayCrowd(b *testing.B, address string) (c gatewaytest.Cost, each int64) {
	gw, err := remotemux.Dial(b.Context(), remotemux.Options{Launch: remotemux.Launch{BaseURL: address, Token: token}})
	if err != nil {
		b.Fatal(err)
	}
	defer gw.Close()
	streams := make([]gateway.Stream, crowd)
	held := gatewaytest.Spent(b, func() {
		for i := range streams {
			if streams[i], err = gw.Follow(b.Context(), member(i), -1); err != nil {
				b.Fatal(fmt.Errorf("session %d: %w", i, err))
			}
		}
		c = gatewaytest.Spent(b, func() {
			var wg sync.WaitGroup
			for _, s := range streams {
				wg.Go(func() {
					for n := 0; n < deltas; {
						item, err := s.Next(b.Context())
						if err != nil {
							b.Error(err)
							return
						}
						if item.Live != nil && item.Live.Type == dsh.LiveChunk {
							n++
						}
					}
				})
			}
			go order(b, address)
			wg.Wait()
		})
	})
	for _, s := range streams {
		s.Close()
	}
	return c, held.Heap / crowd
}
