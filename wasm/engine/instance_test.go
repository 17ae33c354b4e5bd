package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/engine"
	"strata.dev/bridge/wasm/engine/effects"
)

// Many calls at once on one instance: each gets its own answer, whatever order
// the effects end in and whichever calls are given up on the way.
func TestCallsInterleave(t *testing.T) {
	in := open(t, "probe", engine.Config{}, engine.Options{Effects: effects.Sleep()})
	rng := rand.New(rand.NewPCG(1, 2))
	var work sync.WaitGroup
	for i := range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ms := rng.IntN(20)
		switch i % 4 {
		case 0:
			work.Go(func() {
				expect(t, "chain", outcome{Head: `{"n":3}`}, call(ctx, in, "chain", `{"n":3}`, ""))
			})
		case 1:
			work.Go(func() {
				head := fmt.Sprintf(`{"ms":[%d,%d]}`, ms, 20-ms)
				expect(t, "fan", outcome{Head: `{"codes":["",""]}`}, call(ctx, in, "fanSleep", head, ""))
			})
		case 2:
			work.Go(func() {
				head := fmt.Sprintf(`{"i":%d}`, i)
				expect(t, "echo", outcome{Head: head, Body: head}, call(ctx, in, "echo", head, head))
			})
		case 3:
			work.Go(func() {
				expect(t, "cancelled", outcome{Err: told(false, abi.CodeCancelled, abi.MsgCancelled)}, call(ctx, in, "cancelDefer", "{}", ""))
			})
			work.Go(cancel)
		}
	}
	work.Wait()
	expect(t, "afterwards", outcome{Head: `{"calls":1}`}, call(t.Context(), in, "open", "", ""))
}

// Traps while others wait: those fail, everybody after them is served.
func TestTrapsUnderLoad(t *testing.T) {
	in := open(t, "probe", engine.Config{}, engine.Options{Effects: effects.Sleep()})
	var work sync.WaitGroup
	for range 5 {
		for range 20 {
			work.Go(func() {
				got := call(t.Context(), in, "chain", `{"n":2}`, "")
				if got.Err != nil {
					expect(t, "in flight", outcome{Err: told(true, abi.CodeTrap, abi.MsgTrap)}, got)
				} else {
					expect(t, "survivor", outcome{Head: `{"n":2}`}, got)
				}
			})
		}
		work.Go(func() {
			expect(t, "trap", outcome{Err: told(true, abi.CodeTrap, abi.MsgTrap)}, call(t.Context(), in, "trap", "", ""))
		})
	}
	work.Wait()
	expect(t, "afterwards", outcome{Head: `{"calls":1}`}, call(t.Context(), in, "open", "", ""))
}

// An op without a deadline may wait for ever but not run for ever.
func TestStep(t *testing.T) {
	entered := make(chan struct{}, 1)
	in := open(t, "rogue", engine.Config{Step: 3 * time.Second}, engine.Options{
		Logger: slog.New(slog.NewTextHandler(notifier{"spinning", entered}, nil)),
	})
	late := outcome{Err: told(true, abi.CodeDeadline, abi.MsgStep, "ms", "3000")}
	var work sync.WaitGroup
	work.Go(func() { expect(t, "spin", late, call(t.Context(), in, "break", `"spin"`, "")) })
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	work.Go(cancel)
	expect(t, "gives up waiting for its turn", outcome{Err: told(false, abi.CodeCancelled, abi.MsgCancelled)}, call(ctx, in, "count", "", ""))
	work.Wait()
	expect(t, "snooze", late, call(t.Context(), in, "break", `"snooze"`, ""))
	expect(t, "afterwards", outcome{Head: `{"calls":1}`}, call(t.Context(), in, "count", "", ""))
}

// notifier is a log's destination that tells when it sees a word.
type notifier struct {
	word string
	seen chan<- struct{}
}

func (n notifier) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(n.word)) {
		n.seen <- struct{}{}
	}
	return len(p), nil
}

// A guest that cannot be started is a fault: its ops' defaults stand in.
func TestStartFault(t *testing.T) {
	in := open(t, "rogue", engine.Config{}, engine.Options{Config: []byte("panic")})
	expect(t, "default", outcome{Head: `{"safe":true,"n":[1.5]}`, Err: told(true, abi.CodeTrap, abi.MsgTrap)}, call(t.Context(), in, "fallback", `"done"`, ""))
	expect(t, "none", outcome{Err: told(true, abi.CodeTrap, abi.MsgTrap)}, call(t.Context(), in, "count", "", ""))
}

// What a guest writes to stderr and why it fell go to the logger, bounded.
func TestLogger(t *testing.T) {
	var log bytes.Buffer
	in := open(t, "probe", engine.Config{}, engine.Options{Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	call(t.Context(), in, "deadlock", "", "")
	call(t.Context(), in, "logs", `{"text":"words"}`, "")
	var got []string
	for line := range strings.Lines(log.String()) {
		var r struct{ Level, Msg, From, Plugin, Detail string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if len(r.Msg) > abi.MaxLogBytes {
			t.Errorf("a record of %d bytes", len(r.Msg))
		}
		first, _, _ := strings.Cut(r.Msg, "\n")
		got = append(got, strings.Join([]string{r.Level, r.Plugin, r.From, first, r.Detail}, "|"))
	}
	const deadlock = "fatal error: all goroutines are asleep - deadlock!"
	want := []string{
		"WARN|probe|stderr|" + deadlock + "|",
		"ERROR|probe||plugin fault|" + deadlock,
		"INFO|probe|log|words|", "WARN|probe|log|words|", "ERROR|probe|log|words|",
	}
	if strings.Join(want, "\n") != strings.Join(got, "\n") {
		t.Errorf("want\n%s\ngot\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
}

// Close ends what runs and what waits; afterwards nothing starts.
func TestClose(t *testing.T) {
	asked := make(chan struct{})
	in := open(t, "probe", engine.Config{}, engine.Options{Effects: engine.Effects{
		abi.EffectSleep: func(ctx context.Context, _ engine.Effect) ([]byte, []byte, error) {
			asked <- struct{}{}
			<-ctx.Done() // Close would hang if it did not end this
			return nil, nil, ctx.Err()
		},
	}})
	gone := outcome{Err: told(false, abi.CodeCancelled, abi.MsgCancelled)}
	var work sync.WaitGroup
	for range 3 {
		work.Go(func() { expect(t, "waiting", gone, call(t.Context(), in, "sleep", `{"ms":1}`, "")) })
		<-asked
	}
	in.Close()
	work.Wait()
	in.Close()
	expect(t, "afterwards", gone, call(t.Context(), in, "count", "", ""))
	if err := in.Start(t.Context()); err == nil {
		t.Error("a closed instance started")
	}
}

// A caller who is gone does not reach the guest.
func TestGoneBefore(t *testing.T) {
	in := open(t, "probe", engine.Config{}, engine.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	expect(t, "gone", outcome{Err: told(false, abi.CodeCancelled, abi.MsgCancelled)}, call(ctx, in, "count", "", ""))
	expect(t, "first", outcome{Head: `{"n":1}`}, call(t.Context(), in, "count", "", ""))
}

// An effect that fails for a reason of the host's own tells the plugin no more
// than that.
func TestEffectFailure(t *testing.T) {
	in := open(t, "probe", engine.Config{}, engine.Options{Effects: engine.Effects{
		abi.EffectSleep: func(context.Context, engine.Effect) ([]byte, []byte, error) {
			return nil, nil, fmt.Errorf("reading /home/u/secret: no")
		},
	}})
	expect(t, "failure", outcome{Err: told(false, abi.CodeFailed, abi.MsgEffectFailed, "kind", "sleep")}, call(t.Context(), in, "sleep", `{"ms":1}`, ""))
}
