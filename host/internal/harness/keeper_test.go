package harness

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// fake gives a Process that ends when die is called.
func fake() (p *Process, die func()) {
	p = &Process{component: Component{Dir: "/c", Version: "1"}, begun: time.Now(), done: make(chan struct{})}
	return p, sync.OnceFunc(func() {
		p.mu.Lock()
		p.err = newError(KindDied, "gone", say.Sentence(say.AgentStopped))
		p.mu.Unlock()
		close(p.done)
	})
}

func TestKeeperStartsOnceForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, die := fake()
		starts := 0
		k := NewKeeper(func(context.Context) (*Process, error) {
			starts++
			time.Sleep(time.Second) // fake time
			return p, nil
		})
		if diff := cmp.Diff("stopped", k.Status().State); diff != "" {
			t.Error(diff)
		}
		var wait sync.WaitGroup
		for range 20 {
			wait.Go(func() {
				got, err := k.Get(t.Context())
				if got != p || err != nil {
					t.Errorf("got %p, %v", got, err)
				}
			})
		}
		impatient, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := k.Get(impatient); !errors.Is(err, context.Canceled) {
			t.Errorf("impatient: %v", err)
		}
		synctest.Wait()
		if diff := cmp.Diff("starting", k.Status().State); diff != "" {
			t.Error(diff)
		}
		wait.Wait()
		if starts != 1 {
			t.Errorf("%d starts", starts)
		}
		want := chat.AgentStatus{State: "ready", Component: "/c", Version: "1", Untested: Component{Version: "1"}.Untested(), Sentence: say.Sentence(say.AgentReady)}
		if diff := cmp.Diff(want, k.Status()); diff != "" {
			t.Errorf("status (-want +got):\n%s", diff)
		}
		die()
		synctest.Wait()
		gone := say.Sentence(say.AgentStopped)
		want = chat.AgentStatus{State: "stopped", Detail: "gone", Sentence: gone, LastEnd: &chat.AgentEnd{Time: time.Now().UnixMilli(), Sentence: gone, Details: "gone"}}
		if diff := cmp.Diff(want, k.Status()); diff != "" {
			t.Errorf("status (-want +got):\n%s", diff)
		}
		if k.Current() != nil {
			t.Error("a dead process is current")
		}
	})
}

func TestKeeperDoesNotWaitAfterALifeThatWorked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var die func()
		k := NewKeeper(func(context.Context) (p *Process, _ error) {
			p, die = fake()
			return p, nil
		})
		for range 2 * maxShort {
			p, err := k.Get(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			k.Worked(p)
			die()
			synctest.Wait()
		}
		if diff := cmp.Diff(time.Duration(0), time.Since(begin)); diff != "" {
			t.Errorf("it waited (-want +got):\n%s", diff)
		}
	})
}

func TestKeeperPausesAfterShortLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var die func()
		var p *Process
		var starts []string
		k := NewKeeper(func(context.Context) (*Process, error) {
			starts = append(starts, time.Since(begin).String())
			p, die = fake()
			return p, nil
		})
		get := func() error {
			_, err := k.Get(t.Context())
			return err
		}
		end := func(after time.Duration) {
			time.Sleep(after)
			die()
			synctest.Wait()
		}
		for range maxShort {
			if err := get(); err != nil {
				t.Fatal(err)
			}
			end(9 * time.Second)
		}
		var e *Error
		if err := get(); !errors.As(err, &e) || e.Kind != KindLoop || e.Details != "gone" {
			t.Fatalf("after %d short lives: %v", maxShort, err)
		}
		time.Sleep(pause - time.Second)
		if err := get(); !errors.As(err, &e) || e.Kind != KindLoop {
			t.Fatalf("within the pause: %v", err)
		}
		time.Sleep(time.Second)
		if err := get(); err != nil {
			t.Fatalf("after the pause: %v", err)
		}
		end(time.Second)
		if err := get(); !errors.As(err, &e) || e.Kind != KindLoop {
			t.Fatalf("one more short life: %v", err)
		}
		time.Sleep(pause)
		if err := get(); err != nil {
			t.Fatal(err)
		}
		end(time.Hour)
		if err := get(); err != nil { // a long life forgives
			t.Fatal(err)
		}
		end(time.Second)
		if err := get(); err != nil {
			t.Fatal(err)
		}
		end(time.Hour)
		want := []string{"0s", "10s", "21s", "34s", "1m43s", "2m44s", "1h2m44s", "1h2m46s"}
		if diff := cmp.Diff(want, starts); diff != "" {
			t.Errorf("starts (-want +got):\n%s", diff)
		}
		if err := k.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestKeeperFailedStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var next error
		k := NewKeeper(func(context.Context) (*Process, error) { return nil, next })
		try := func() (Kind, time.Duration) {
			begin := time.Now()
			_, err := k.Get(t.Context())
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%T: %v", err, err)
			}
			return e.Kind, time.Since(begin)
		}
		next = newError(KindMissing, "", say.Sentence(say.AgentMissing))
		for range 10 { // what is missing may be tried at once, again and again
			if kind, took := try(); kind != KindMissing || took != 0 {
				t.Fatalf("%s after %v", kind, took)
			}
		}
		if state := k.Status().State; state != "missing" {
			t.Errorf("state %q", state)
		}
		next = newError(KindPlugin, "broken row", say.Sentence(say.HarnessPlugin))
		var got []string
		for range maxShort + 1 {
			kind, took := try()
			got = append(got, string(kind)+" "+took.String())
		}
		if diff := cmp.Diff([]string{"plugin 0s", "plugin 1s", "plugin 2s", "plugin 4s", "loop 0s"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		want := chat.AgentStatus{
			State: "stopped", Detail: "broken row", Sentence: say.Sentence(say.HarnessLoop, "times", "4"),
			LastEnd: &chat.AgentEnd{Time: time.Now().UnixMilli(), Sentence: say.Sentence(say.HarnessPlugin), Details: "broken row"},
		}
		if diff := cmp.Diff(want, k.Status()); diff != "" {
			t.Errorf("status (-want +got):\n%s", diff)
		}
	})
}

func TestKeeperCloseEndsAStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := NewKeeper(func(ctx context.Context) (*Process, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		var got error
		var wait sync.WaitGroup
		wait.Go(func() { _, got = k.Get(t.Context()) })
		synctest.Wait()
		if err := k.Close(t.Context()); err != nil {
			t.Error(err)
		}
		wait.Wait()
		if !errors.Is(got, context.Canceled) {
			t.Errorf("the waiting Get: %v", got)
		}
		if _, err := k.Get(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("Get after Close: %v", err)
		}
	})
}

// Whoever has seen a process end is not given it again, however soon it asks.
func TestKeeperGivesNoDeadOne(t *testing.T) {
	for range 200 {
		p, die := fake()
		next, endNext := fake()
		list := []*Process{p, next}
		k := NewKeeper(func(context.Context) (*Process, error) {
			got := list[0]
			list = list[1:]
			return got, nil
		})
		if _, err := k.Get(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.begun = p.begun.Add(-time.Hour) // it had a long life
		die()
		if got, err := k.Get(t.Context()); got != next || err != nil {
			t.Fatalf("got %p, %v", got, err)
		}
		endNext()
		for k.Current() != nil { // a fake cannot be stopped
			runtime.Gosched()
		}
		if err := k.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// A process that is given up is followed by another one, once it has ended; several in
// a row are short lives as any.
func TestKeeperDiscard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *Process
		var die func()
		starts := 0
		k := NewKeeper(func(context.Context) (*Process, error) {
			p, die = fake()
			starts++
			return p, nil
		})
		begin := time.Now()
		var at []string
		for range maxShort {
			if _, err := k.Get(t.Context()); err != nil {
				t.Fatal(err)
			}
			at = append(at, time.Since(begin).String())
			old, end := p, die
			k.Discard(old, errors.New("it refuses us"))
			if s := k.Status().State; s == "ready" {
				t.Error("a process that was given up is ready")
			}
			got := make(chan *Process, 1)
			last := len(at) == maxShort
			if !last {
				go func() { next, _ := k.Get(t.Context()); got <- next }()
				synctest.Wait()
				if len(got) > 0 || starts != len(at) {
					t.Fatal("another process was started while the old one lives")
				}
			}
			end()
			if !last {
				if next := <-got; next == old || next == nil {
					t.Fatal("the same process was given again")
				}
			}
			synctest.Wait()
		}
		if diff := cmp.Diff([]string{"0s", "1s", "3s", "7s"}, at); diff != "" {
			t.Errorf("starts (-want +got):\n%s", diff)
		}
		var e *Error
		if _, err := k.Get(t.Context()); !errors.As(err, &e) || e.Kind != KindLoop || e.Details != "it refuses us" {
			t.Errorf("after %d processes that were given up: %v", starts, err)
		}
		k.Discard(p, errors.New("late")) // it is not the current one any more
		if err := k.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
