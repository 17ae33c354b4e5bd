package agent

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"strata.dev/bridge/host/internal/gateway"
)

// watched is a watcher that says what is sent, or ends with an error that is.
type watched struct {
	notices chan gateway.Notice
	errs    chan error
}

func (w *watched) Close() {}

func (w *watched) Next(ctx context.Context) (gateway.Notice, error) {
	select {
	case n := <-w.notices:
		return n, nil
	case err := <-w.errs:
		return gateway.Notice{}, err
	case <-ctx.Done():
		return gateway.Notice{}, context.Cause(ctx)
	}
}

// watchedGateway gives that watcher.
type watchedGateway struct {
	gateway.Gateway
	w *watched
}

func (g watchedGateway) Watch() gateway.Watcher { return g.w }

// A gateway counts as given up when it says so, or when it is not connected for two
// minutes on end; anything less leaves the process alone.
func TestGivenUpWhen(t *testing.T) {
	final := errors.New("final")
	for _, tt := range []struct {
		name string
		play func(w *watched)
		want error // nil: not at all
		at   time.Duration
	}{
		{"it says so", func(w *watched) { time.Sleep(time.Second); w.errs <- final }, final, time.Second},
		{"down for long", func(w *watched) { w.say(false) }, gateway.ErrLost, downLimit},
		{"down, and told so again", func(w *watched) { w.say(false); time.Sleep(time.Minute); w.say(false) }, gateway.ErrLost, downLimit},
		{"down, and slow", func(w *watched) { w.say(false); time.Sleep(time.Minute); w.errs <- gateway.ErrSlow }, gateway.ErrLost, downLimit},
		{"down and up", func(w *watched) {
			for range 5 {
				w.say(false)
				time.Sleep(downLimit - time.Second)
				w.say(true)
				time.Sleep(time.Minute)
			}
		}, nil, 0},
		{"quiet", func(*watched) {}, nil, 0},
		{"other things", func(w *watched) { w.notices <- gateway.Notice{SessionGone: "s"} }, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &watched{notices: make(chan gateway.Notice), errs: make(chan error)}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				begin := time.Now()
				go tt.play(w)
				err := givenUp(ctx, watchedGateway{w: w})
				switch {
				case tt.want == nil:
					if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Hour {
						t.Errorf("given up after %v: %v", time.Since(begin), err)
					}
				case !errors.Is(err, tt.want) || time.Since(begin) != tt.at:
					t.Errorf("after %v: %v, want %v after %v", time.Since(begin), err, tt.want, tt.at)
				}
			})
		})
	}
}

func (w *watched) say(up bool) {
	w.notices <- gateway.Notice{Connection: &gateway.Connection{Up: up}}
}
