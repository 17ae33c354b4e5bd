package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/kit/faultproxy"
	"strata.dev/bridge/e2e/muxport"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// broken is a host whose way to its Harness can be broken.
type broken struct {
	*world
	line    *kit.Line
	options kit.HostOptions
	mess    *messing
}

func newBroken(ctx context.Context, t *testing.T, wire *muxport.Options) *broken {
	t.Helper()
	kit.Needs(t, kit.EventsMux)
	b := &broken{world: &world{home: kit.NewHome(t), model: kit.StartModel(t, scriptmodel.Config{})}, mess: new(messing)}
	b.home.File(t, "README.md", "# A small project\n")
	b.options.Model = b.model
	dir := ""
	if wire != nil {
		dir = kit.RemoteMux(t, b.home, *wire)
	}
	b.options.Harness, b.line = kit.Behind(t, b.home, dir, func(p *faultproxy.Proxy) { p.OnMessage(b.mess.hook) })
	b.Host = kit.StartHost(ctx, t, b.home, b.options)
	return b
}

// messing doubles or swaps what the Harness sends while it is on.
type messing struct{ mode atomic.Int32 }

const (
	doubling = iota + 1
	swapping
)

func (m *messing) hook(way faultproxy.Direction) faultproxy.MessageHook {
	if way == faultproxy.ToServer {
		return nil
	}
	var held []byte
	return func(message []byte) (out [][]byte) {
		switch m.mode.Load() {
		case doubling:
			return [][]byte{message, message}
		case swapping:
			if held == nil {
				held = message
				return nil
			}
		}
		out = append(out, message)
		if held != nil {
			out, held = append(out, held), nil
		}
		return out
	}
}

// fault does something to the line; what is undone again is undone by what it gives.
type fault struct {
	name string
	do   func(b *broken, p *faultproxy.Proxy, r *rand.Rand) (undo func())
}

// faults are what a line does. Those that end by themselves are over after at most
// 300 ms.
var faults = []fault{
	{"cut", func(_ *broken, p *faultproxy.Proxy, _ *rand.Rand) func() { p.Cut(); return nil }},
	{"cut in the middle of what is sent", func(_ *broken, p *faultproxy.Proxy, r *rand.Rand) func() {
		p.CutAfter(faultproxy.ToClient, r.IntN(400))
		return p.Cut
	}},
	{"half-closed to the host", func(_ *broken, p *faultproxy.Proxy, _ *rand.Rand) func() {
		p.HalfClose(faultproxy.ToClient)
		return nil
	}},
	{"half-closed to the Harness", func(_ *broken, p *faultproxy.Proxy, _ *rand.Rand) func() {
		p.HalfClose(faultproxy.ToServer)
		return nil
	}},
	{"refused for a while", func(_ *broken, p *faultproxy.Proxy, r *rand.Rand) func() {
		p.Set(faultproxy.Refuse)
		p.Cut()
		pause(r)
		p.Set(faultproxy.Pass)
		return nil
	}},
	{"swallowed for a while", func(_ *broken, p *faultproxy.Proxy, r *rand.Rand) func() {
		p.Set(faultproxy.Blackhole)
		return func() { pause(r); p.Set(faultproxy.Pass); p.Cut() }
	}},
	{"messages doubled", func(b *broken, p *faultproxy.Proxy, _ *rand.Rand) func() {
		b.mess.mode.Store(doubling)
		return func() { b.mess.mode.Store(0) }
	}},
	{"messages swapped", func(b *broken, p *faultproxy.Proxy, r *rand.Rand) func() {
		b.mess.mode.Store(swapping)
		return func() { pause(r); b.mess.mode.Store(0); p.Cut() } // one may be held back for good
	}},
	{"each piece late", func(_ *broken, p *faultproxy.Proxy, r *rand.Rand) func() {
		late := 20 + r.IntN(180)
		p.OnData(func(ctx context.Context, _ faultproxy.Direction, _ []byte) {
			select {
			case <-time.After(time.Duration(late) * time.Millisecond):
			case <-ctx.Done():
			}
		})
		return func() { pause(r); p.OnData(nil) }
	}},
	{"a byte at a time", func(_ *broken, p *faultproxy.Proxy, _ *rand.Rand) func() {
		p.Pace(20 * time.Microsecond)
		return func() { p.Pace(0) }
	}},
}

// pause is how long a fault lasts. Nothing is waited for: it is the fault.
func pause(r *rand.Rand) { time.Sleep(time.Duration(r.IntN(300)) * time.Millisecond) }

// healing is how long it took until the rest of an answer was there: since the line broke,
// and since it could be used again.
type healing struct{ broke, usable time.Duration }

// pulse sends a message, breaks the line in the middle of its answer, and takes the
// time until the rest of the answer is there. Each text must come once.
func (b *broken) pulse(ctx context.Context, c kit.Chat, f fault, r *rand.Rand) (took healing, err error) {
	hold := fmt.Sprintf("pulse-%d", r.Uint64())
	run, err := c.Send(ctx, scriptmodel.Steps(scriptmodel.Step(scriptmodel.Say("one "), scriptmodel.Hold(hold), scriptmodel.Say("two"))))
	if err != nil {
		return took, err
	}
	if _, err := run.Wait(ctx, kit.Says("one ")); err != nil {
		return took, err
	}
	if !kit.ByTheAgent(run.Frames()) {
		return took, fmt.Errorf("%s: the agent does not answer: %+v", f.name, run.Frames())
	}
	broke := time.Now()
	undo := f.do(b, b.line.Proxy(), r)
	b.model.Release(hold)
	if undo != nil {
		undo()
	}
	usable := time.Now()
	if _, err := run.Wait(ctx, kit.Says("two")); err != nil {
		return took, fmt.Errorf("%s: %w", f.name, err)
	}
	took = healing{time.Since(broke), time.Since(usable)}
	frames, err := run.End(ctx)
	if err != nil {
		return took, fmt.Errorf("%s: %w", f.name, err)
	}
	if last := frames[len(frames)-1]; last.Type != chat.Done || kit.Text(frames) != "one two" || !kit.ByTheAgent(frames) {
		return took, fmt.Errorf("%s: the answer is %q and ends with %+v", f.name, kit.Text(frames), last)
	}
	return took, nil
}

// A line that breaks, in whatever way, is the host's business: the chat goes on, and
// each text comes once.
func TestBrokenLine(t *testing.T) {
	for _, name := range []string{"0.1.0", "0.2"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := kit.Context(t)
			b := newBroken(ctx, t, wires[name])
			c := b.NewChat()
			r := rand.New(rand.NewPCG(1, 2))
			for _, f := range faults {
				took, err := b.pulse(ctx, c, f, r)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%s: healed after %v", f.name, took.broke.Round(time.Millisecond))
			}
			// A question stands while the line breaks, and its answer counts.
			run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Write(b.path("broken.txt"), "x"), scriptmodel.Say("done")))
			proposed := card(ctx, t, run, "write", chat.ToolProposed)
			b.line.Proxy().Cut()
			must(t, kit.Until(ctx, func(ctx context.Context) error { return c.Approve(ctx, proposed) }))
			frames := ended(ctx, t, run)
			if got := kit.States(frames); len(got) != 1 || got[0] != "write: running proposed running done" {
				t.Errorf("cards: %q", got)
			}
		})
	}
}
