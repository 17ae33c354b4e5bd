package remotemux_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/gatewaytest"
	"strata.dev/bridge/host/internal/gateway/remotemux"
	"strata.dev/bridge/proto/dsh"
)

// A long log in pages, then live, from the middle and from the start.
func TestFollowLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		se := b.Create("s", "/repo")
		say(se, 1000)
		all, middle := follow(t, b, "s", -1), follow(t, b, "s", 700)
		if diff := cmp.Diff(gatewaytest.UpTo(0, 999), gatewaytest.Seqs(gatewaytest.Events(t, all, 1000))); diff != "" {
			t.Errorf("from the start (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(gatewaytest.UpTo(701, 999), gatewaytest.Seqs(gatewaytest.Events(t, middle, 299))); diff != "" {
			t.Errorf("from the middle (-want +got):\n%s", diff)
		}
		say(se, 2)
		se.Replay(3)
		say(se, 1)
		if diff := cmp.Diff(gatewaytest.UpTo(1000, 1002), gatewaytest.Seqs(gatewaytest.Events(t, all, 3))); diff != "" {
			t.Errorf("live (-want +got):\n%s", diff)
		}
		empty := follow(t, b, b.Create("empty", "/repo").ID, -1)
		say(b.Session("empty"), 1)
		if got := gatewaytest.Events(t, empty, 1)[0].Seq; got != 0 {
			t.Errorf("an empty log begins with %d", got)
		}
	})
}

// A helper that was just born is followed once it has its descriptor; one that never
// gets it is given up.
func TestFollowNewborn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		b.Create("s", "/repo")
		say(b.CreateHelper("h", "s", ""), 2)
		go func() {
			time.Sleep(300 * time.Millisecond)
			b.Describe("h", "one-shot")
		}()
		if diff := cmp.Diff(gatewaytest.UpTo(0, 1), gatewaytest.Seqs(gatewaytest.Events(t, follow(t, b, "h", -1), 2))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		b.CreateHelper("broken", "s", "")
		if _, err := b.gw.Follow(t.Context(), "broken", -1); !gateway.IsCode(err, gateway.CodeHelperCatalog) {
			t.Errorf("one without a descriptor: %v", err)
		}
	})
}

// Wherever the wire leaves something out or ends: nothing is lost, nothing is twice.
func TestFollowContinues(t *testing.T) {
	tests := map[string]func(*bench){
		"a hole":                         func(b *bench) { b.Session("s").Skip(dsh.TypeTurnStart, dsh.Turn{}) },
		"the stream ends":                func(b *bench) { b.End("session/follow", "") },
		"the stream fails":               func(b *bench) { b.End("session/follow", "gateway/internal") },
		"the socket is cut":              func(b *bench) { b.Cut(nil) },
		"cut in a frame":                 func(b *bench) { b.Cut([]byte{0x81, 0x7e, 0x10, 0x00, '{', '"'}) },
		"the Harness is started again":   func(b *bench) { b.Restart(token, true) },
		"a garbage frame":                func(b *bench) { b.Send("garbage") },
		"a frame of tomorrow":            func(b *bench) { b.Send(`{"type":"resumable","streamId":"s1"}`) },
		"$events ends":                   func(b *bench) { b.End("$events", "") },
		"$events fails":                  func(b *bench) { b.End("$events", "gateway/service-unavailable") },
		"session/control ends":           func(b *bench) { b.End("session/control", "") },
		"an item for a stream of nobody": func(b *bench) { b.Send(`{"type":"item","streamId":"nobody","value":{}}`) },
	}
	for name, fault := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := connect(t)
				se := b.Create("s", "/repo")
				say(se, 20)
				s := follow(t, b, "s", -1)
				gatewaytest.Events(t, s, 20)
				fault(b)
				from := int64(20)
				say(se, 30)
				want := gatewaytest.UpTo(from, from+29)
				if name == "a hole" {
					want = append(want, from+30)
				}
				if diff := cmp.Diff(want, gatewaytest.Seqs(gatewaytest.Events(t, s, len(want)))); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				time.Sleep(time.Minute)
				say(se, 1)
				gatewaytest.Events(t, s, 1) // a reader opens what ended
				if n := b.Streams("session/follow"); n != 1 {
					t.Errorf("%d streams are open for one reader", n)
				}
			})
		})
	}
}

// A socket that is given up since $events failed is lost: what waited on it was not
// refused and is tried again.
func TestEventsThatFailAreALoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		w := watch(t, b)
		b.End("$events", "gateway/service-unavailable")
		for {
			n, err := w.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if n.Connection == nil || n.Connection.Err == nil {
				continue
			}
			var refused *gateway.Error
			if !errors.Is(n.Connection.Err, gateway.ErrLost) || errors.As(n.Connection.Err, &refused) {
				t.Errorf("the socket ended with %v", n.Connection.Err)
			}
			return
		}
	})
}

// A log that is shorter than what was read, or another one.
func TestRewound(t *testing.T) {
	for _, name := range []string{"shorter", "differs"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := connect(t)
				se := b.Create("s", "/repo")
				say(se, 10)
				s := follow(t, b, "s", -1)
				gatewaytest.Events(t, s, 10)
				b.net.Refuse(true)
				b.Restart(token, true)
				se.Truncate(9)
				if name == "differs" {
					time.Sleep(time.Second)
					se.Append(dsh.TypeTurnStart, dsh.Turn{Turn: 1})
				}
				b.net.Refuse(false)
				if _, err := s.Next(t.Context()); !errors.Is(err, gateway.ErrRewound) {
					t.Errorf("got %v, want ErrRewound", err)
				}
				if _, err := b.gw.Follow(t.Context(), "s", 100); !errors.Is(err, gateway.ErrRewound) {
					t.Errorf("following from beyond the end gives %v", err)
				}
			})
		})
	}
}

// A slow reader is let go or reads again; the others and the memory don't notice.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		se := b.Create("s", "/repo")
		many, other := follow(t, b, "s", -1), follow(t, b, "s", -1)
		say(se, 1)
		gatewaytest.Events(t, many, 1) // at the queue
		say(se, 4200)
		if got := len(gatewaytest.Events(t, other, 4201)); got != 4201 {
			t.Errorf("the other reader got %d events", got)
		}
		synctest.Wait()
		var err error
		for err == nil {
			_, err = many.Next(t.Context())
		}
		if !errors.Is(err, gateway.ErrSlow) {
			t.Errorf("a reader that was at the end and fell behind gets %v", err)
		}
		large := b.Create("large", "/repo")
		big := follow(t, b, "large", -1)
		say(large, 1)
		gatewaytest.Events(t, big, 1)
		text := strings.Repeat("x", 1<<20)
		for range 6 { // more than the queue takes, of few events
			large.AppendMessage(dsh.TypeUserMessage, dsh.Message{ID: text})
		}
		synctest.Wait()
		if n := b.Streams("session/follow"); n != 1 { // of other
			t.Errorf("%d streams are open while a reader is behind", n)
		}
		if diff := cmp.Diff(gatewaytest.UpTo(1, 6), gatewaytest.Seqs(gatewaytest.Events(t, big, 6))); diff != "" {
			t.Errorf("a reader of large events (-want +got):\n%s", diff)
		}
	})
}

// One message of more than 64 MiB breaks nothing.
func TestLargeMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		se := b.Create("s", "/repo")
		s := follow(t, b, "s", -1)
		w := watch(t, b)
		b.Send(`{"type":"item",` + strings.Repeat(" ", 65<<20) + `"streamId":"nobody","value":1}`)
		say(se, 1)
		gatewaytest.Events(t, s, 1)
		w.Close()
		if n, err := w.Next(t.Context()); !errors.Is(err, gateway.ErrClosed) {
			t.Errorf("the large message made a notice: %+v, %v", n, err)
		}
	})
}

func TestFollowErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		b.Create("s", "/repo")
		b.CreateHelper("orphan", "s", "")
		for id, want := range map[string]string{"nope": gateway.CodeSessionNotFound, "orphan": gateway.CodeHelperCatalog} {
			if _, err := b.gw.Follow(t.Context(), id, -1); !gateway.IsCode(err, want) {
				t.Errorf("following %s gives %v, want %s", id, err, want)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := b.gw.Follow(ctx, "s", -1); !errors.Is(err, context.Canceled) {
			t.Errorf("a call that was given up gives %v", err)
		}
		s := follow(t, b, "s", -1)
		short, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := s.Next(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a Next that was given up gives %v", err)
		}
		say(b.Session("s"), 1)
		gatewaytest.Events(t, s, 1) // it ended the call alone
		s.Close()
		if _, err := s.Next(t.Context()); !errors.Is(err, gateway.ErrClosed) {
			t.Errorf("a closed stream gives %v", err)
		}
		synctest.Wait()
		if n := b.Streams("session/follow"); n != 0 {
			t.Errorf("%d streams are open after all were closed", n)
		}
	})
}

// Every code reaches who opens a stream as our word for it.
func TestFollowCodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		b.Create("s", "/repo")
		for wire, ours := range gatewaytest.Codes {
			b.Fail("session/follow", wire)
			var refused *gateway.Error
			if _, err := b.gw.Follow(t.Context(), "s", -1); !errors.As(err, &refused) || refused.Code != ours || refused.Method != "session/follow" {
				t.Errorf("%s gives %v, want %s", wire, err, ours)
			}
		}
		b.Fail("session/follow", "")
		follow(t, b, "s", -1)
	})
}

// Helpers are followed by their parent's address, in both versions; their mode comes
// from the list.
func TestFollowHelper(t *testing.T) {
	for name, setup := range map[string]func(*bench){"0.2": func(*bench) {}, "0.1.5": old} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := connect(t, setup)
				b.Create("s", "/repo")
				for _, mode := range []string{"one-shot", "continuable"} {
					h := b.CreateHelper("h-"+mode, "s", mode)
					h.Project(dsh.KeySubagent, dsh.SubagentState{Mode: mode})
					say(h, 100)
					if diff := cmp.Diff(gatewaytest.UpTo(0, 99), gatewaytest.Seqs(gatewaytest.Events(t, follow(t, b, h.ID, -1), 100))); diff != "" {
						t.Errorf("%s (-want +got):\n%s", mode, diff)
					}
					if snap, err := b.gw.Snapshot(t.Context(), h.ID, 90); err != nil || snap.LastSeq != 99 || len(snap.Events) != 10 {
						t.Errorf("snapshot of %s: %d events to %d, %v", mode, len(snap.Events), snap.LastSeq, err)
					}
				}
				err := b.gw.PromptHelper(t.Context(), "s", gateway.Prompt{SessionID: "h-continuable", RequestID: "r", Text: "go on"})
				if err != nil {
					t.Error(err)
				}
				for parent, want := range map[string]string{"s": gateway.CodeHelperNotResumable, "x": gateway.CodeHelperUnauthorized} {
					err := b.gw.PromptHelper(t.Context(), parent, gateway.Prompt{SessionID: "h-one-shot", RequestID: "r", Text: "x"})
					if !gateway.IsCode(err, want) {
						t.Errorf("a prompt for %s gives %v, want %s", parent, err, want)
					}
				}
				if err := b.gw.InterruptHelper(t.Context(), "s", "nobody"); !gateway.IsCode(err, gateway.CodeHelperNotFound) {
					t.Errorf("interrupting nobody gives %v", err)
				}
				if err := b.gw.Cancel(t.Context(), "h-one-shot"); !gateway.IsCode(err, gateway.CodeAgentBusy) {
					t.Errorf("cancelling a helper gives %v", err)
				}
			})
		})
	}
}

// A session is read without being made live where the Harness can do that, and
// rightly where what it keeps is behind.
func TestSnapshotCold(t *testing.T) {
	tests := []struct {
		name     string
		setup    func(*bench)
		uncached bool
		behind   int
		attached bool
	}{
		{"0.2", func(*bench) {}, false, 0, false},
		{"0.2, what is cached is behind", func(*bench) {}, false, 3, true},
		{"0.2, nothing is cached", func(*bench) {}, true, 0, true},
		{"0.1.5", old, false, 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := connect(t, tt.setup)
				se := b.Create("s", "/repo")
				se.Append(dsh.TypeTurnStart, dsh.Turn{Turn: 1})
				say(se, 100)
				se.SetTitle("a title", "user")
				se.Detach(tt.uncached, tt.behind)
				snap, err := b.gw.Snapshot(t.Context(), "s", 50)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(gatewaytest.UpTo(50, 101), gatewaytest.Seqs(snap.Events)); diff != "" || snap.LastSeq != 101 || !snap.Running {
					t.Errorf("last %d, running %v, events (-want +got):\n%s", snap.LastSeq, snap.Running, diff)
				}
				if diff := cmp.Diff(map[string]json.RawMessage{"title": json.RawMessage(`"a title"`)}, snap.Projections); diff != "" {
					t.Errorf("projections (-want +got):\n%s", diff)
				}
				if got := se.Attached(); got != tt.attached {
					t.Errorf("the session has an agent: %v, want %v", got, tt.attached)
				}
			})
		})
	}
}

// Projections come once the events are as far, the newest of a key.
func TestProjections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		se := b.Create("s", "/repo")
		say(se, 2)
		se.Project("plan", "old")
		s := follow(t, b, "s", -1)
		var got []string
		read := func(n int) {
			for range n {
				item, err := s.Next(t.Context())
				switch {
				case err != nil:
					t.Fatal(err)
				case item.Event != nil:
					got = append(got, fmt.Sprint("event ", item.Event.Seq))
				default:
					got = append(got, fmt.Sprintf("%s %s %d", item.Projection.Key, item.Projection.Value, item.Projection.Seq))
				}
			}
		}
		read(3)
		say(se, 1)
		se.Project("plan", "new")
		read(2)
		b.Cut(nil)
		se.Project("plan", "while away")
		say(se, 1)
		read(2)
		want := []string{"event 0", "event 1", `plan "old" 1`, "event 2", `plan "new" 2`, "event 3", `plan "while away" 3`}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("items (-want +got):\n%s", diff)
		}
	})
}

// While the host is away for long, its reader waits; a Gateway that gave up tells.
func TestFollowGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var refuse atomic.Bool
		b := connect(t, func(b *bench) {
			b.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
				if refuse.Load() {
					http.Error(w, "forbidden", http.StatusForbidden)
				}
				return refuse.Load()
			}
		})
		s := follow(t, b, b.Create("s", "/repo").ID, -1)
		w := watch(t, b)
		refuse.Store(true)
		b.Cut(nil)
		if _, err := s.Next(t.Context()); !errors.Is(err, gateway.ErrLost) || !gateway.IsCode(err, gateway.CodeUnauthorized) {
			t.Errorf("the stream ends with %v", err)
		}
		var err error
		for err == nil {
			_, err = w.Next(t.Context())
		}
		if !gateway.IsCode(err, gateway.CodeUnauthorized) {
			t.Errorf("the watcher ends with %v", err)
		}
		before := len(b.net.Dials())
		time.Sleep(time.Hour)
		if n := len(b.net.Dials()) - before; n != 0 {
			t.Errorf("%d more connections were tried", n)
		}
		if i := slices.IndexFunc(b.gw.Skipped(), func(s dsh.Skip) bool { return s.Kind == dsh.SkipWrong }); i >= 0 {
			t.Errorf("skipped %+v", b.gw.Skipped())
		}
	})
}

var _ gateway.Gateway = (*remotemux.Gateway)(nil)
