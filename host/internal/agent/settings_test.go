package agent

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

var without = Settings{Off: []string{"tool-b"}}

// hold holds the process as a turn does; waited is closed once it has to wait.
func (b *bed) hold(ctx context.Context, route ...string) (release chan func(), waited chan struct{}) {
	release, waited = make(chan func(), 1), make(chan struct{})
	go func() {
		r, err := b.agent.Hold(ctx, strings.Join(route, ""), sync.OnceFunc(func() { close(waited) }))
		if err != nil {
			close(release)
			return
		}
		release <- r
	}()
	return release, waited
}

func (b *bed) configure(s Settings) {
	b.t.Helper()
	if err := b.agent.Configure(s); err != nil {
		b.t.Fatal(err)
	}
}

// New settings start the Harness again, once no turn runs on it; who comes meanwhile
// waits and gets the next process, made of the new settings.
func TestConfigure(t *testing.T) {
	t.Parallel()
	b := newBed(t, wires["events.mux"])
	running, _ := b.hold(t.Context())
	release := <-running
	first := b.ensure()
	b.configure(Settings{})
	if again, _ := b.hold(t.Context()); again != nil { // nothing has changed: nobody waits
		(<-again)()
	}

	b.configure(without)
	impatient, cancel := context.WithCancel(t.Context())
	gone, told := b.hold(impatient)
	await(t, "the wait of one who goes away", told)
	cancel()
	if _, held := <-gone; held {
		t.Error("who went away holds the process")
	}
	next, waited := b.hold(t.Context())
	await(t, "the wait of the next turn", waited)
	if l := b.ensure(); l != first || b.starts != 1 {
		t.Fatalf("a running turn's process went away, %d starts", b.starts)
	}
	select {
	case <-first.Done():
		t.Fatal("the process ended under a turn")
	default:
	}
	release()
	release() // counts once
	await(t, "the end of the earlier process", first.Done())
	(<-next)()
	if second := b.ensure(); second == first || b.starts != 2 {
		t.Errorf("%d starts", b.starts)
	}
	if !strings.Contains(b.begun[0], "tool-b") || strings.Contains(b.begun[1], "tool-b") || !strings.Contains(b.begun[1], "tool-a") {
		t.Errorf("started from %q", b.begun)
	}

	// With no turn at all it is at once.
	second := b.ensure()
	b.configure(Settings{})
	await(t, "the end of an idle process", second.Done())
	last, _ := b.hold(t.Context())
	(<-last)()
	b.ensure()
	if b.starts != 3 || b.begun[2] != b.begun[0] {
		t.Errorf("%d starts, %q", b.starts, b.begun)
	}
}

// connected are settings with connections of a model each.
func connected(t *testing.T, ids ...string) (s Settings) {
	t.Helper()
	u, err := url.Parse("http://127.0.0.1:9/v1")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		s.Connections = append(s.Connections, connections.Connection{ID: id, Upstream: u, Models: []connections.Model{{ID: "m", ContextWindow: 9000}}})
	}
	return s
}

// A connection that comes or goes holds up nobody whom it does not concern: while turns
// run, others begin on the routes that are as they were. Who asks for a new one waits, and
// then so do all, or the turns would never end; who asks for one that is gone is told.
func TestConnectionsComeAndGo(t *testing.T) {
	t.Parallel()
	b := newBed(t, wires["events.mux"])
	b.configure(connected(t, "one", "two"))
	first := b.ensure()
	running, _ := b.hold(t.Context(), "one/m")
	release := <-running

	b.configure(connected(t, "one", "three"))
	other, _ := b.hold(t.Context(), "one/m")
	(<-other)()
	if _, err := b.agent.Hold(t.Context(), "two/m", func() { t.Error("it waits") }); !isGone(err) {
		t.Errorf("a route that is gone: %v", err)
	}
	changed := connected(t, "one", "three")
	changed.Connections[0].Models[0].ContextWindow = 8000
	b.configure(changed)
	impatient, cancel := context.WithCancel(t.Context())
	asIt, toldSo := b.hold(impatient, "one/m")
	await(t, "the wait of one on a model that has changed", toldSo)
	cancel()
	<-asIt
	b.configure(connected(t, "one", "three"))

	wanted, waited := b.hold(t.Context(), "three/m")
	await(t, "the wait of one on the new route", waited)
	late, lateWaited := b.hold(t.Context(), "one/m")
	await(t, "the wait behind it", lateWaited)
	if b.ensure() != first || b.starts != 1 {
		t.Fatalf("a running turn's process went away, %d starts", b.starts)
	}
	release()
	(<-wanted)()
	(<-late)()
	if b.ensure() == first || b.starts != 2 {
		t.Errorf("%d starts", b.starts)
	}

	// What else has changed concerns all.
	running, _ = b.hold(t.Context(), "one/m")
	release = <-running
	off := connected(t, "one", "three")
	off.Off = without.Off
	b.configure(off)
	next, nextWaited := b.hold(t.Context(), "one/m")
	await(t, "the wait for other tools", nextWaited)
	release()
	(<-next)()
	b.ensure()
}

func isGone(err error) bool {
	var e *chat.Error
	return errors.As(err, &e) && e.Code == chat.CodeModelUnavailable
}

// Settings that cannot be used change nothing.
func TestConfigureRefused(t *testing.T) {
	t.Parallel()
	b := newBed(t, wires["events.mux"])
	first := b.ensure()
	if err := b.agent.Configure(Settings{Off: []string{"tool-c"}}); err == nil {
		t.Fatal("a tool that is not there can be off")
	}
	release, _ := b.hold(t.Context())
	(<-release)()
	if b.ensure() != first {
		t.Error("the process was started again")
	}
}

// A restart that fails is told to the next message, which has it tried again; settings
// as they were help.
func TestConfigureFails(t *testing.T) {
	t.Parallel()
	b := newBed(t, wires["events.mux"])
	first := b.ensure()
	b.fails = true // before the next start
	b.configure(without)
	await(t, "the end of the earlier process", first.Done())
	for range 2 {
		release, _ := b.hold(t.Context())
		_, err := b.agent.Ensure(t.Context())
		var refused *chat.Error
		if !errors.As(err, &refused) || refused.Key != say.SettingsFailed || !strings.Contains(refused.Details, "it does not start") {
			t.Fatalf("got %v", err)
		}
		(<-release)()
	}
	b.fails = false
	b.configure(Settings{})
	release, _ := b.hold(t.Context())
	(<-release)()
	b.ensure()
	if last := len(b.begun) - 1; b.begun[last] != b.begun[0] {
		t.Errorf("started from %q", b.begun)
	}
}

// A process that ends by itself under a turn is followed by one with the new settings,
// and those that wait for these go on.
func TestConfigureAndDeath(t *testing.T) {
	t.Parallel()
	b := newBed(t, wires["events.mux"])
	running, _ := b.hold(t.Context())
	release := <-running
	first := b.ensure()
	b.configure(without)
	next, waited := b.hold(t.Context())
	await(t, "the wait of the next turn", waited)
	if err := syscall.Kill(b.current.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	b.cut(nil)
	await(t, "the end of the killed life", first.Done())
	b.ensure() // as the bridge does at once
	(<-next)()
	release()
	b.ensure()
	if b.starts != 2 || strings.Contains(b.begun[1], "tool-b") {
		t.Errorf("%d starts, the newest from %q", b.starts, b.begun[len(b.begun)-1])
	}
}

// Parts of the settings that are changed at once do not undo each other.
func TestChange(t *testing.T) {
	t.Parallel()
	b := newBed(t, wires["events.mux"])
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := b.agent.Change(func(s *Settings) { s.MaxHelpers++ }); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			if err := b.agent.Change(func(s *Settings) { s.Search.Service += "x" }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if s := b.agent.composition.settings; s.MaxHelpers != 20 || len(s.Search.Service) != 20 {
		t.Errorf("%d and %q", s.MaxHelpers, s.Search.Service)
	}
}
