package bridge

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/proto/chat"
)

// truncate makes the one session's log shorter, as a kill does that comes before it was
// written, while the connection is none the wiser.
func (d *disk) truncate(n int) {
	s := d.only()
	d.mu.Lock()
	defer d.mu.Unlock()
	s.log = s.log[:n]
}

// once makes a method fail one time.
func (d *disk) once(method string, err error) {
	done := false
	d.on(method, func(ctx) error {
		if done {
			return nil
		}
		done = true
		return err
	})
}

// TestRewoundBetweenRuns: a log that is shorter than what the last run read is read
// from its beginning.
func TestRewoundBetweenRuns(t *testing.T) {
	for _, how := range []string{"a snapshot tells", "following tells"} {
		t.Run(how, func(t *testing.T) {
			play(t, func(s *stage) {
				s.run("c1", "say one")
				s.run("c1", "say two")
				if how == "a snapshot tells" {
					s.d.truncate(9)
				} else {
					s.d.once("Follow", gateway.ErrRewound)
				}
				s.expect(s.run("c1", "say three"), "queued", "start manual p/m session-1", `delta "three"`, "done completed false 100")
				var got []string
				for _, m := range s.history("c1").Messages {
					got = append(got, m.Role+" "+m.Text)
				}
				want := []string{"user say one", "assistant one", "user say two", "assistant two", "user say three", "assistant three"}
				if how == "a snapshot tells" {
					want = append(want[:2:2], want[4:]...)
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
			})
		})
	}
}

// TestRewoundInARun: the page is given what stands there, its message in any case, and
// is told to send it again; that works, also where the log could not be read at once.
func TestRewoundInARun(t *testing.T) {
	for name, tt := range map[string]struct {
		unreadable bool
		want       []string
	}{
		"readable":   {false, []string{"reset 1", "error agent-stopped"}},
		"unreadable": {true, []string{"error agent-stopped"}},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(s *stage) {
				sub := s.send("c1", "say one; hang")
				s.until(sub, running)
				synctest.Wait()
				s.d.truncate(5)
				if tt.unreadable {
					s.d.once("Snapshot", errors.New("corrupt session log"))
				}
				s.d.once("Next", gateway.ErrRewound)
				s.d.mu.Lock() // events, for the follower to find out by
				for range 25 {
					s.d.sessions["session-1"].append("of/tomorrow", struct{}{})
				}
				s.d.mu.Unlock()
				rest := s.rest(sub)
				got := told(rest)
				if tools := got[:len(got)-len(tt.want)]; len(tools) > 1 {
					t.Errorf("before the end: %v", tools)
				}
				if d := cmp.Diff(tt.want, got[len(got)-len(tt.want):]); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
				for _, f := range rest {
					if f.Type == chat.Reset && (f.Run == "" || f.Snapshot.Messages[0].Text != "say one; hang") {
						t.Errorf("the page is shown %+v", f)
					}
				}
				if p := s.b.Pending(""); len(p) != 0 {
					t.Errorf("still pending: %v", p)
				}
				s.d.mu.Lock() // the double's own turn goes on
				s.d.sessions["session-1"].turn()
				s.d.mu.Unlock()
				synctest.Wait()
				s.expect(s.run("c1", "say two"), "queued", "start manual p/m session-1", `delta "two"`, "done completed false 100")
			})
		})
	}
}
