package bridge

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/chat"
)

// lacks takes a route away, as where its engine has gone, and makes another the default.
func (s *apart) lacks(route, then string) {
	var left []chat.Route
	for _, r := range s.d.routes {
		if r.ID != route {
			r.Default = r.ID == then
			left = append(left, r)
		}
	}
	s.d.routes, s.lone.gone = left, append(s.lone.gone, route)
}

// onModel sends a message that names a model, or none.
func (s *apart) onModel(chatID, model, text string) []chat.Frame {
	s.t.Helper()
	time.Sleep(time.Second) // of the bubble's clock
	req := s.message(chatID, text)
	req.Model = model
	return s.rest(s.post(req))
}

// TestAChatStaysOnItsModel: what names no model goes to the chat's own. When that is gone
// the message is refused, and goes to no other, until the person names one; in a new chat
// it goes to what is the default then.
func TestAChatStaysOnItsModel(t *testing.T) {
	for name, agent := range map[string]bool{"on the agent": true, "without it": false} {
		t.Run(name, func(t *testing.T) {
			playApart(t, func(s *apart) {
				if agent {
					s.comes()
				}
				on := func(chatID, model string) string {
					s.t.Helper()
					frames := s.onModel(chatID, model, "say hi")
					for _, f := range frames {
						if f.Type == chat.Started {
							return f.Model
						}
					}
					return string(frames[len(frames)-1].Code)
				}
				got := map[string]string{"at first": on("c1", ""), "another chat": on("c2", "p/other")}
				got["then"] = on("c2", "")
				s.lacks("p/m", "p/other")
				got["its engine is gone"] = on("c1", "")
				got["after a refusal"] = on("c1", "")
				s.reopen()
				got["after a restart"] = on("c1", "")
				got["a new chat"] = on("c3", "")
				got["another is chosen"] = on("c1", "p/eyes")
				got["and kept"] = on("c1", "")
				got["one that is gone is named"] = on("c1", "p/m")
				got["after that"] = on("c1", "")
				want := map[string]string{
					"at first": "p/m", "another chat": "p/other", "then": "p/other",
					"its engine is gone": "model-unavailable", "after a refusal": "model-unavailable", "after a restart": "model-unavailable",
					"a new chat": "p/other", "another is chosen": "p/eyes", "and kept": "p/eyes",
					"one that is gone is named": "model-unavailable", "after that": "p/eyes",
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
				if got := s.history("c1").Model; got != "p/eyes" {
					t.Errorf("the chat tells that it is on %q", got)
				}
			})
		})
	}
}

// TestWhatWaitsGoesWhereTheChatGoes: a message that names no model and waits behind one
// that does goes on on that one's.
func TestWhatWaitsGoesWhereTheChatGoes(t *testing.T) {
	playApart(t, func(s *apart) {
		s.comes()
		s.onModel("c1", "", "say hi")
		reached, release := s.d.hold("Prompt")
		first := s.message("c1", "say one")
		first.Model = "p/other"
		one := s.post(first)
		<-reached
		two := s.send("c1", "say two")
		release()
		s.d.on("Prompt", nil)
		s.rest(one)
		s.expect(s.rest(two), "queued", "start manual p/other session-1", `delta "two"`, "done completed false 100")
	})
}
