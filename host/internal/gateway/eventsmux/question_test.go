package eventsmux_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/gatewaytest"
)

func question(n gateway.Notice) *gateway.Question { return n.Question }

// A question that nobody can answer is declined at once, and again where the answer
// got lost.
func TestQuestionIsDeclined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := 0
		b := connect(t, func(b *bench) {
			b.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
				if !gatewaytest.Asks(r, "respond") || broken == 0 {
					return false
				}
				broken--
				w.WriteHeader(http.StatusBadGateway)
				return true
			}
		})
		w := b.gw.Watch()
		defer w.Close()
		se := b.Create("s", "/repo")
		outcome := se.Question("one")
		if q := gatewaytest.Next(t, w, question); q != (gateway.Question{ID: "question-one", SessionID: "s"}) {
			t.Errorf("told of %+v", q)
		}
		synctest.Wait()
		select {
		case got := <-outcome:
			if got != "cancelled" {
				t.Errorf("the question ended as %q", got)
			}
		default:
			t.Fatal("the question waits")
		}

		broken = 3
		outcome = se.Question("two")
		synctest.Wait()
		if len(outcome) != 0 {
			t.Fatal("an answer that got lost counts")
		}
		time.Sleep(time.Minute)
		if synctest.Wait(); len(outcome) != 1 || broken != 0 {
			t.Errorf("the question still waits (%d), %d failures left", len(outcome), broken)
		}

		b.net.Refuse(true) // one that is asked while nobody is connected
		b.Cut(nil)
		synctest.Wait()
		outcome = se.Question("three")
		b.net.Refuse(false)
		time.Sleep(time.Minute)
		if synctest.Wait(); len(outcome) != 1 {
			t.Error("the question of a time without a connection still waits")
		}
	})
}
