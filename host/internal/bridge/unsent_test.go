package bridge

import (
	"testing"
	"testing/synctest"
	"time"

	"strata.dev/bridge/host/internal/say"
)

// TestWhatTheHarnessNeverGotIsKept: a message whose preparation failed, or was stopped,
// is in the chat's history with the reason, as it is on the page; a restart keeps it.
func TestWhatTheHarnessNeverGotIsKept(t *testing.T) {
	playApart(t, func(s *apart) {
		s.comes()
		s.run("c1", "say hi")
		time.Sleep(time.Second) // of the bubble's clock
		req := s.message("c1", "say gone")
		req.Model = "p/gone"
		s.expect(s.rest(s.post(req)), "queued", "error model-unavailable")
		time.Sleep(time.Second)
		reached, release := s.d.hold("SelectModel")
		stopped := s.send("c1", "say stopped")
		<-reached
		s.stop("c1")
		release()
		s.expect(s.rest(stopped), "queued", "done aborted true 0")
		s.d.on("SelectModel", nil)
		want := []string{"user say hi", "assistant hi", "user say gone", "assistant  [" + say.ModelUnavailable + "]", "user say stopped", "assistant  [" + say.Stopped + "]"}
		s.reads("c1", want...)
		s.reopen()
		s.reads("c1", want...)
		time.Sleep(time.Second)
		s.run("c1", "say on")
		s.reads("c1", append(want, "user say on", "assistant on")...)

		// Of a chat that never began nothing is kept.
		req = s.message("c2", "say gone")
		req.Model = "p/gone"
		s.rest(s.post(req))
		synctest.Wait()
		if c := s.b.known("c2"); c != nil {
			t.Errorf("the chat %s is kept", c.id)
		}
	})
}
