package bridge

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

func TestTurn(t *testing.T) {
	play(t, func(s *stage) {
		frames := s.run("c1", "say hello there; run ls; say done")
		s.expect(frames, "queued", "start manual p/m session-1", `delta "hello there"`,
			"tool call_1_1 running", "tool call_1_1 done", `delta "done"`, "done completed false 200")
		for i, f := range frames {
			if f.Seq != int64(i+1) || f.Run != frames[0].Run {
				t.Errorf("frame %d has seq %d of run %s", i, f.Seq, f.Run)
			}
		}
		s.expect(s.run("c1", "say again"), "queued", "start manual p/m session-1", `delta "again"`, "done completed false 100")
		if n := s.d.count("CreateSession"); n != 1 {
			t.Errorf("%d sessions were made", n)
		}
	})
}

func TestModesAndModels(t *testing.T) {
	for _, tt := range []struct {
		name  string
		req   chat.StreamRequest
		gate  string
		want  string // the frame after queued
		calls []string
	}{
		{"plan", chat.StreamRequest{Mode: "plan"}, "", "start plan p/m session-1", []string{"/permission strata-plan", "SelectModel p/m "}},
		{"bypass", chat.StreamRequest{Mode: "bypass", Model: "p/other"}, "", "start bypass p/other session-1", []string{"/permission strata-bypass", "SelectModel p/other "}},
		{"unknown is manual", chat.StreamRequest{Mode: "YOLO", Thinking: "high"}, gateOn, "start manual p/m session-1", []string{"/permission strata-manual", "SelectModel p/m high"}},
		{"a level the route lacks is not sent", chat.StreamRequest{Thinking: "max"}, gateOn, "start manual p/m session-1", []string{"/permission strata-manual", "SelectModel p/m "}},
		{"a level the Harness refuses is dropped", chat.StreamRequest{Thinking: "odd"}, gateOn, "start manual p/m session-1", []string{"/permission strata-manual", "SelectModel p/m "}},
		{"a model with a slash", chat.StreamRequest{Model: "or/vendor/x"}, gateOn, "start manual or/vendor/x session-1", []string{"/permission strata-manual", "SelectModel or/vendor/x "}},
		{"route gone", chat.StreamRequest{Model: "p/gone"}, gateOn, "error model-unavailable", []string{"/permission strata-manual"}},
		{"no route at all", chat.StreamRequest{Model: "nonsense"}, gateOn, "error model-unavailable", []string{"/permission strata-manual"}},
		{"no gate", chat.StreamRequest{}, "", "error mode-unavailable", []string{"/permission strata-manual"}},
		{"gate off", chat.StreamRequest{}, `{"gate":"off","mode":"manual","seams":{"guard":true}}`, "error mode-unavailable", []string{"/permission strata-manual"}},
		{"gate without a seam", chat.StreamRequest{}, `{"gate":"on","mode":"manual","seams":{"guard":false}}`, "error mode-unavailable", []string{"/permission strata-manual"}},
		{"gate that misses something", chat.StreamRequest{}, `{"gate":"on","mode":"manual","seams":{"guard":true},"missing":["x"]}`, "error mode-unavailable", []string{"/permission strata-manual"}},
		{"gate that sees another mode", chat.StreamRequest{}, `{"gate":"on","mode":"bypass","seams":{"guard":true}}`, "error mode-unavailable", []string{"/permission strata-manual"}},
		{"gate of other bytes", chat.StreamRequest{}, `{"gate":"on","mode":"manual","sha256":"00","seams":{"guard":true}}`, "error mode-unavailable", []string{"/permission strata-manual"}},
		{"gate that says nonsense", chat.StreamRequest{}, `hello`, "error mode-unavailable", []string{"/permission strata-manual"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			play(t, func(s *stage) {
				s.d.gate = tt.gate
				req := s.message("c1", "say hi")
				req.Mode, req.Model, req.Thinking = tt.req.Mode, tt.req.Model, tt.req.Thinking
				got := told(s.rest(s.post(req)))
				if len(got) < 2 || got[1] != tt.want {
					t.Errorf("got %v, want %s", got, tt.want)
				}
				var calls []string
				for _, c := range s.d.called() {
					if len(c) > 12 && (c[:11] == "/permission" || c[:12] == "SelectModel ") {
						calls = append(calls, c)
					}
				}
				if d := cmp.Diff(tt.calls, calls); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
				if prompted := s.d.count("Prompt") > 0; prompted != (tt.want[:5] == "start") {
					t.Errorf("prompted: %v", prompted)
				}
			})
		})
	}
}

// TestUntestedVersion: each chat is told once of a Harness that nobody tested with.
func TestUntestedVersion(t *testing.T) {
	play(t, func(s *stage) {
		told := say.Sentence(say.HarnessUntested, "version", "9", "tested", "1")
		s.d.untested = &told
		notice := func(frames []chat.Frame) (n int) {
			for _, f := range frames {
				if f.Type == chat.Notice && f.Key == say.HarnessUntested && f.Args["version"] == "9" {
					n++
				}
			}
			return n
		}
		if got := []int{notice(s.run("c1", "say one")), notice(s.run("c1", "say two")), notice(s.run("c2", "say three"))}; !cmp.Equal(got, []int{1, 0, 1}) {
			t.Errorf("told %v times", got)
		}
	})
}

// TestModeDoesNotTake: the projection keeps another preset.
func TestModeDoesNotTake(t *testing.T) {
	play(t, func(s *stage) {
		s.d.on("Snapshot", func(ctx ctx) error {
			s.d.mu.Lock()
			defer s.d.mu.Unlock()
			for _, x := range s.d.sessions {
				x.preset = "read-only"
			}
			return nil
		})
		frames := s.run("c1", "say hi")
		s.expect(frames, "queued", "error mode-unavailable")
		if f := frames[1]; f.Key != say.ModeUnavailable || f.Args["mode"] != "Manual" || f.Details == "" {
			t.Errorf("got %+v", f)
		}
	})
}

func TestQueue(t *testing.T) {
	play(t, func(s *stage) {
		first := s.send("c1", "wait 1000; say one")
		synctest.Wait()
		second := s.send("c1", "say two")
		other := s.send("c2", "say elsewhere")
		synctest.Wait()
		if c := s.b.Status(s.t.Context()); len(c.Turns) != 2 {
			t.Errorf("%d turns are under way: %+v", len(c.Turns), c.Turns)
		}
		s.expect(s.rest(other), "queued", "start manual p/m session-2", `delta "elsewhere"`, "done completed false 100")
		s.expect(s.rest(second), "queued", "start manual p/m session-1", `delta "two"`, "done completed false 100")
		s.expect(s.rest(first), "queued", "start manual p/m session-1", `delta "one"`, "done completed false 100")
	})
}

func TestFailures(t *testing.T) {
	play(t, func(s *stage) {
		s.expect(s.run("c1", "fail RATE_LIMIT"), "queued", "start manual p/m session-1", "error model-failed")
		s.expect(s.run("c1", "say fine"), "queued", "start manual p/m session-1", `delta "fine"`, "done completed false 100")
		s.d.broken = say.Error(chat.CodeAgentUnavailable, "no node", say.AgentMissing)
		s.d.die()
		synctest.Wait()
		s.expect(s.run("c1", "say more"), "queued", "error agent-unavailable")
		s.d.broken = nil
		s.expect(s.run("c1", "say more"), "queued", "start manual p/m session-1", `delta "more"`, "done completed false 100")
	})
}

func TestBadRequests(t *testing.T) {
	play(t, func(s *stage) {
		good := s.message("c1", "say hi")
		for name, change := range map[string]func(*chat.StreamRequest){
			"no chat":       func(r *chat.StreamRequest) { r.ChatID = "" },
			"odd chat":      func(r *chat.StreamRequest) { r.ChatID = "a\nb" },
			"no request":    func(r *chat.StreamRequest) { r.RequestID = "" },
			"no text":       func(r *chat.StreamRequest) { r.Text = " \n" },
			"attachments":   func(r *chat.StreamRequest) { r.Attachments = []chat.Attachment{{Name: "x"}} },
			"relative cwd":  func(r *chat.StreamRequest) { r.CWD = "." },
			"cwd not there": func(r *chat.StreamRequest) { r.CWD = "/not/there" },
		} {
			r := good
			change(&r)
			if _, err := s.b.Send(s.t.Context(), r); code(err) != chat.CodeBadRequest {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n := s.d.count("Ensure"); n != 0 {
			t.Errorf("the Harness was started %d times", n)
		}
		if _, err := s.b.Chat(s.t.Context(), "nope"); code(err) != chat.CodeUnknownChat {
			t.Error(err)
		}
		if _, err := s.b.Attach(s.t.Context(), "nope", "", 0); code(err) != chat.CodeUnknownChat {
			t.Error(err)
		}
		if _, err := s.b.PatchChat(s.t.Context(), "nope", chat.ChatPatch{}); code(err) != chat.CodeUnknownChat {
			t.Error(err)
		}
		if _, err := s.b.Stop(s.t.Context(), chat.StopRequest{}); code(err) != chat.CodeBadRequest {
			t.Error(err)
		}
		if _, err := s.b.Stop(s.t.Context(), chat.StopRequest{SessionID: "nope"}); code(err) != chat.CodeUnknownSession {
			t.Error(err)
		}
	})
}

func TestSessionGone(t *testing.T) {
	play(t, func(s *stage) {
		s.run("c1", "say one")
		s.d.mu.Lock()
		delete(s.d.sessions, "session-1")
		s.d.mu.Unlock()
		s.expect(s.run("c1", "say two"), "queued", "notice "+say.SessionReplaced, "start manual p/m session-2", `delta "two"`, "done completed false 100")
		s.expect(s.run("c1", "say three"), "queued", "start manual p/m session-2", `delta "three"`, "done completed false 100")
	})
}

// TestHalfMadeSession: a set-up that fails half-way leaves no chat behind.
func TestHalfMadeSession(t *testing.T) {
	play(t, func(s *stage) {
		s.d.on("Snapshot", func(ctx) error { return errBoom })
		s.expect(s.run("c1", "say one"), "queued", "error agent-unavailable")
		if list, _ := s.b.Chats(s.t.Context()); len(list.Chats) != 0 {
			t.Errorf("a chat is left: %+v", list.Chats)
		}
		s.d.on("Snapshot", nil)
		s.expect(s.run("c1", "say two"), "queued", "start manual p/m session-2", `delta "two"`, "done completed false 100")
	})
}

// TestLostPrompt: the connection breaks while the message is handed over, before or
// after it was taken. It is answered once.
func TestLostPrompt(t *testing.T) {
	for _, at := range []string{"Prompt", "Prompted"} {
		t.Run(at, func(t *testing.T) {
			play(t, func(s *stage) {
				n := 0
				s.d.on(at, func(ctx) error {
					if n++; n < 3 {
						return errLost
					}
					return nil
				})
				s.expect(s.run("c1", "say one"), "queued", "start manual p/m session-1", `delta "one"`, "done completed false 100")
			})
		})
	}
	t.Run("for good", func(t *testing.T) {
		play(t, func(s *stage) {
			s.d.on("Prompt", func(ctx) error { return errLost })
			s.expect(s.run("c1", "say one"), "queued", "start manual p/m session-1", "error agent-unavailable")
		})
	})
}

// TestSlowFollower: the gateway lets go of a reader that fell behind. Nothing is lost.
func TestSlowFollower(t *testing.T) {
	play(t, func(s *stage) {
		n := 0
		s.d.on("Next", func(ctx) error {
			if n++; n%3 == 0 {
				return gateway.ErrSlow
			}
			return nil
		})
		s.expect(s.run("c1", "say one two three; run ls; say four"), "queued", "start manual p/m session-1", `delta "one two three"`,
			"tool call_1_1 running", "tool call_1_1 done", `delta "four"`, "done completed false 200")
	})
}

// TestTitle: the Harness's title counts until the person gives one.
func TestTitle(t *testing.T) {
	play(t, func(s *stage) {
		title := func() string { rec, _ := s.b.records.get("c1"); return rec.Title }
		s.run("c1", "say one")
		if got := title(); got != "say one" {
			t.Errorf("title %q", got)
		}
		s.run("c1", "title A good one; say two")
		if got := title(); got != "A good one" {
			t.Errorf("title %q", got)
		}
		mine := "Mine"
		if _, err := s.b.PatchChat(s.t.Context(), "c1", chat.ChatPatch{Title: &mine}); err != nil {
			t.Fatal(err)
		}
		s.run("c1", "title Another; say three")
		if got := title(); got != mine {
			t.Errorf("title %q", got)
		}
	})
}

// TestTooManyWaiting: a chat keeps a bounded number of messages, and of request ids.
func TestTooManyWaiting(t *testing.T) {
	play(t, func(s *stage) {
		sub := s.send("c1", "hang")
		s.until(sub, running)
		for range maxWaiting - 1 {
			s.send("c1", "say more")
		}
		if _, err := s.b.Send(s.t.Context(), s.message("c1", "say too much")); code(err) != chat.CodeBadRequest {
			t.Errorf("got %v", err)
		}
		s.stop("c1")
		for range 2 * maxKnown {
			s.send("c1", "say x")
			s.stop("c1")
		}
		if n := len(s.b.chats["c1"].requests); n > maxKnown {
			t.Errorf("%d request ids are kept", n)
		}
	})
}
