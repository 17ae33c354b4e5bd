package bridge

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/eventsmux"
	"strata.dev/bridge/host/internal/gateway/replay"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// A load is 200 chats that write 50 deltas a second each, over the wire of 0.1.0. Its
// time is STRATA_LOAD_TIME; without it there is a short one.
const (
	loadChats = 200
	loadRate  = 50
	loadShort = 4 * time.Second
	// loadKept bounds what is kept of a run, so that the bound is reached in the load.
	loadKept = 256 << 10
)

// loadServer makes the test binary a Harness that plays the load.
const loadServer = "STRATA_LOAD_SERVER"

// serveLoad answers each message with a turn of as many deltas as it says, each with
// its number and the time of its making. It is a process of its own, so that what it keeps is not the
// host's.
func serveLoad() {
	srv := replay.New("")
	srv.Executed = func(se *replay.Session, line string) (string, bool, bool) {
		preset, ok := strings.CutPrefix(line, "/permission ")
		if ok {
			se.Append(dsh.TypePermissionPreset, dsh.Value{Preset: preset})
			se.Project(dsh.KeyPermissions, dsh.Permissions{CurrentValue: preset})
			se.Append(dsh.TypeCommandDone, dsh.Command{CommandID: "c", Kind: "success"})
		}
		return "preset " + preset, ok, ok
	}
	srv.Prompted = func(se *replay.Session, p replay.Prompt) {
		deltas, _ := strconv.Atoi(p.Text) // 0 is found by the readers
		at := dsh.Step{Turn: 1, Step: 1}
		se.Append(dsh.TypeTurnStart, dsh.Turn{Turn: at.Turn})
		se.Dequeue()
		se.AppendFrom(dsh.TypeUserMessage, dsh.Message{
			ID: p.RPCID, Role: "user", Content: []dsh.Block{{Type: "text", Text: p.Text}}, Source: dsh.Source{Kind: "user", RPCID: p.RPCID},
		}, nil)
		se.Append(dsh.TypeStepStart, at)
		chunk := func(c dsh.Chunk) {
			se.Append(dsh.TypeAssistantChunk, dsh.AssistantChunk{Turn: at.Turn, Step: at.Step, Chunk: c})
		}
		chunk(dsh.Chunk{Type: "block-start", BlockType: "text"})
		tick := time.NewTicker(time.Second / loadRate)
		defer tick.Stop()
		for i := range deltas {
			<-tick.C
			chunk(dsh.Chunk{Type: "text-delta", Text: fmt.Sprintf("%d:%d ", i, time.Now().UnixNano())})
		}
		se.Append(dsh.TypeStepEnd, at)
		se.Append(dsh.TypeTurnEnd, dsh.TurnEnd{Turn: at.Turn, Reason: dsh.EndReason{Kind: "completed"}})
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() { _, _ = io.Copy(io.Discard, os.Stdin); os.Exit(0) }() // with its parent
	fmt.Printf("http://%s\n", l.Addr())
	panic(http.Serve(l, srv))
}

// dialLoad starts the load's Harness and connects to it.
func dialLoad(b *testing.B) gateway.Gateway {
	c := exec.Command(os.Args[0])
	c.Env, c.Stderr = append(os.Environ(), loadServer+"=1"), os.Stderr
	stdin, err := c.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = stdin.Close()
		_ = c.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	gw, err := eventsmux.Dial(b.Context(), eventsmux.Options{BaseURL: strings.TrimSpace(line)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = gw.Close() })
	return gw
}

// tally is what one chat's reader found.
type tally struct {
	ages []int32 // microseconds
	next int     // number of the delta that comes next
	torn int     // places where it did not
}

// take counts a delta; any other text is none.
func (t *tally) take(text string) {
	number, stamp, ok := strings.Cut(strings.TrimSpace(text), ":")
	n, err := strconv.Atoi(number)
	at, err2 := strconv.ParseInt(stamp, 10, 64)
	if !ok || err != nil || err2 != nil {
		return
	}
	if n != t.next {
		t.torn++
	}
	t.next = n + 1
	t.ages = append(t.ages, int32((time.Now().UnixNano()-at)/1000))
}

// BenchmarkLoad plays the load through the bridge, with one reader that stands still,
// and raw, from the gateway's stream. Nothing may be lost and memory must stay flat;
// p50 is to be below 0.5 ms and p99 below 5 ms on an idle machine.
func BenchmarkLoad(b *testing.B) {
	for name, play := range map[string]func(*testing.B, gateway.Gateway, string) []tally{"raw": rawLoad, "bridge": bridgeLoad} {
		b.Run(fmt.Sprintf("%s/chats=%d", name, loadChats), func(b *testing.B) {
			d := loadShort
			if text := os.Getenv("STRATA_LOAD_TIME"); text != "" {
				var err error
				if d, err = time.ParseDuration(text); err != nil {
					b.Fatal(err)
				}
			}
			gw := dialLoad(b)
			deltas := int(d.Seconds() * loadRate)
			samples := make(chan uint64, 2)
			for _, at := range []time.Duration{d / 2, d * 19 / 20} {
				timer := time.AfterFunc(at, func() { samples <- heap() })
				defer timer.Stop()
			}
			b.ResetTimer()
			found := play(b, gw, strconv.Itoa(deltas))
			b.StopTimer()
			var ages []int32
			for n, t := range found {
				ages = append(ages, t.ages...)
				if t.torn > 0 || t.next != deltas {
					b.Errorf("chat %d: %d of %d deltas, not in order at %d places", n, t.next, deltas, t.torn)
				}
			}
			if len(ages) != loadChats*deltas {
				b.Fatalf("%d deltas came of %d", len(ages), loadChats*deltas)
			}
			half := <-samples
			growth := (int64(<-samples) - int64(half)) >> 20
			// The frames kept of all runs come to 50 MiB, within 20 s. The answers (22 bytes
			// a delta, held twice) and the notes of these readers grow on.
			if most := int64(32); d >= time.Minute && growth > most {
				b.Errorf("the heap grew by %d MiB in the second half, at most %d", growth, most)
			}
			slices.Sort(ages)
			at := func(percent int) float64 { return float64(ages[len(ages)*percent/100]) / 1000 }
			b.ReportMetric(at(50), "p50-ms")
			b.ReportMetric(at(99), "p99-ms")
			b.ReportMetric(float64(len(ages))/b.Elapsed().Seconds(), "deltas/s")
			b.ReportMetric(float64(growth), "growth-MiB")
			b.ReportMetric(0, "ns/op")
			b.Logf("%s: p50 %.3f ms (limit 0.5), p99 %.3f ms (limit 5), %d deltas, none lost, heap %+d MiB", name, at(50), at(99), len(ages), growth)
		})
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// bridgeLoad has each chat send a message and reads its run. A second page of the first
// chat stands still: it is told so, and harms nobody.
func bridgeLoad(b *testing.B, gw gateway.Gateway, deltas string) []tally {
	br, err := New(Options{Harness: oneLife{gw, make(chan struct{})}, Dir: b.TempDir(), Workspace: "/repo", Preset: "standard"})
	if err != nil {
		b.Fatal(err)
	}
	br.limits.run = loadKept
	var still Subscription
	found := readAll(b, func(n int, t *tally) error {
		req := chat.StreamRequest{ChatID: fmt.Sprint("c", n), RequestID: "r", Text: deltas, Mode: "bypass"}
		sub, err := br.Send(b.Context(), req)
		if err == nil && n == 0 {
			still, err = br.Send(b.Context(), req)
		}
		for err == nil {
			var f chat.Frame
			if f, err = sub.Next(b.Context()); err == nil && f.Type == chat.Delta {
				t.take(f.Text)
			}
		}
		if !errors.Is(err, io.EOF) {
			return err
		}
		return nil
	})
	if _, err := still.Next(b.Context()); loadKept < frameSize*found[0].next && !errors.Is(err, ErrSlow) {
		b.Errorf("the page that stood still is told %v", err)
	}
	if _, err := br.Close(context.Background()); err != nil {
		b.Error(err)
	}
	return found
}

// rawLoad does the same without a bridge.
func rawLoad(b *testing.B, gw gateway.Gateway, deltas string) []tally {
	return readAll(b, func(n int, t *tally) error {
		id, err := gw.CreateSession(b.Context(), "/repo", "standard")
		if err != nil {
			return err
		}
		s, err := gw.Follow(b.Context(), id, -1)
		if err != nil {
			return err
		}
		defer s.Close()
		if err := gw.Prompt(b.Context(), gateway.Prompt{SessionID: id, RequestID: fmt.Sprint(n), Text: deltas}); err != nil {
			return err
		}
		for {
			item, err := s.Next(b.Context())
			switch {
			case err != nil:
				return err
			case item.Event == nil:
			case item.Event.Type == dsh.TypeTurnEnd:
				return nil
			default:
				t.take(textOf(item))
			}
		}
	})
}

// readAll reads all chats at once.
func readAll(b *testing.B, read func(n int, t *tally) error) []tally {
	found := make([]tally, loadChats)
	var readers sync.WaitGroup
	for n := range found {
		readers.Go(func() {
			if err := read(n, &found[n]); err != nil {
				b.Errorf("chat %d: %v", n, err)
			}
		})
	}
	readers.Wait()
	return found
}
