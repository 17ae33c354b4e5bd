//go:build unix

package eventsmux_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/eventsmux"
	"strata.dev/bridge/host/internal/gateway/gatewaytest"
	"strata.dev/bridge/host/internal/gateway/replay"
	"strata.dev/bridge/proto/dsh"
)

// crowd is how many sessions are followed at once, and the deltas that each writes.
const crowd, deltas = 1000, 50

// crowded is a frame replayer in a process of its own: POST /play writes the crowd's
// deltas.
func crowded() http.Handler {
	srv := replay.New("")
	srv.Open(replay.Load{Chats: crowd})
	mux := http.NewServeMux()
	mux.Handle("/", srv)
	mux.HandleFunc("/play", func(http.ResponseWriter, *http.Request) {
		for n := range deltas {
			for i := range crowd {
				srv.Session(replay.Chat(i)).Append(dsh.TypeAssistantChunk, dsh.AssistantChunk{
					Turn: 1, Step: 1, Chunk: dsh.Chunk{Type: "text-delta", Text: "some words of an answer " + strconv.Itoa(n)},
				})
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

func rawCrowd(b *testing.B, url string) gatewaytest.Cost {
	conn, _, err := websocket.DefaultDialer.DialContext(b.Context(), "ws"+strings.TrimPrefix(url, "http")+"/api/events.mux", nil)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	return gatewaytest.Spent(b, func() {
		go order(b, url)
		for n := 0; n < crowd*deltas; {
			_, data, err := conn.ReadMessage()
			if err != nil {
				b.Fatal(err)
			}
			var f struct {
				RPCID, Method string
				Payload       struct {
					SessionID string
					Event     dsh.Event
				}
			}
			if err := json.Unmarshal(data, &f); err != nil {
				b.Fatal(err)
			}
			if f.Method == "session/event" {
				n++
			}
		}
	})
}

// gatewayCrowd gives the cost of the deltas, and the bytes that each follower holds
// when it has read them.
func gatewayCrowd(b *testing.B, url string) (c gatewaytest.Cost, each int64) {
	gw, err := eventsmux.Dial(b.Context(), eventsmux.Options{BaseURL: url})
	if err != nil {
		b.Fatal(err)
	}
	defer gw.Close()
	streams := make([]gateway.Stream, crowd)
	held := gatewaytest.Spent(b, func() {
		for i := range streams {
			if streams[i], err = gw.Follow(b.Context(), replay.Chat(i), -1); err != nil {
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
						if item.Event != nil && item.Event.Type == dsh.TypeAssistantChunk {
							n++
						}
					}
				})
			}
			go order(b, url)
			wg.Wait()
		})
	})
	for _, s := range streams {
		s.Close()
	}
	return c, held.Heap / crowd
}
