package kit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"strata.dev/bridge/e2e/kit/transcript"
	"strata.dev/bridge/proto/chat"
)

// Recorder keeps what its clients asked the host to do and what came of it. Looking
// is not kept, but for the streams that were attached to again.
type Recorder struct {
	mu    sync.Mutex
	did   []*exchange
	chats []Chat
}

// exchange is one request and its answer.
type exchange struct {
	Do     string          `json:"do"` // method and path
	Body   any             `json:"body,omitempty"`
	Status int             `json:"status,omitempty"` // not 200
	Code   chat.Code       `json:"code,omitempty"`
	Answer json.RawMessage `json:"answer,omitempty"`

	run *Run
}

// Recorded gives a client whose doings r keeps.
func (c Client) Recorded(r *Recorder) Client {
	c.recorder = r
	return c
}

// begin notes a request before it is sent, nil where it is not kept.
func (r *Recorder) begin(method, path string, body any) *exchange {
	if r == nil || method == http.MethodGet && !strings.HasPrefix(path, "/api/chat/stream") {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.did = append(r.did, &exchange{Do: method + " " + path, Body: body})
	return r.did[len(r.did)-1]
}

// answered notes how a request ended.
func (r *Recorder) answered(x *exchange, answer []byte, run *Run, err error) {
	if x == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	x.run = run
	if json.Valid(answer) {
		x.Answer = answer
	}
	if refused := (*Refused)(nil); errors.As(err, &refused) {
		x.Status, x.Code = refused.Status, refused.Why.Code
	}
}

func (r *Recorder) begun(c Chat) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.chats = append(r.chats, c)
}

// Write adds everything to a transcript: what was asked, the frames of each run,
// and each chat as the host keeps it. The frames of helpers' cards, which come at
// no fixed place between the chat's own, stand by themselves.
func (r *Recorder) Write(ctx context.Context, tr *transcript.Transcript) error {
	r.mu.Lock()
	did, chats := slices.Clone(r.did), slices.Clone(r.chats)
	r.mu.Unlock()
	var asked []any
	for _, x := range did {
		asked = append(asked, x)
		if x.run == nil {
			continue
		}
		if frames := x.run.Frames(); len(frames) > 0 { // a stream's address names its run
			tr.ID("run", frames[0].Run)
		}
	}
	if err := tr.JSON("asked", asked...); err != nil {
		return err
	}
	n := 0
	for _, x := range did {
		if x.run == nil {
			continue
		}
		n++
		frames, err := x.run.End(ctx)
		if err != nil && !errors.Is(err, ErrBrokenOff) { // a tab that was closed
			return err
		}
		own, helpers := lanes(settled(frames))
		if err := writeFrames(tr, fmt.Sprintf("frames %d", n), own); err != nil {
			return err
		}
		if len(helpers) == 0 {
			continue
		}
		if err := writeFrames(tr, fmt.Sprintf("frames %d of helpers", n), helpers); err != nil {
			return err
		}
	}
	for i, c := range chats {
		h, err := c.History(ctx)
		if err != nil {
			return err
		}
		var messages []any
		for _, m := range h.Messages {
			for i := range m.Helpers {
				m.Helpers[i] = uncut(m.Helpers[i])
			}
			messages = append(messages, m)
		}
		if err := tr.JSON(fmt.Sprintf("history %d", i+1), messages...); err != nil {
			return err
		}
	}
	return nil
}

// settled are frames without what hangs on who was faster: a card is given as it
// was last seen in each state, without what the gate adds to a question while it
// stands, and a helper's row likewise.
func settled(frames []chat.Frame) (out []chat.Frame) {
	last := map[string]int{} // by card or helper: where in out its newest frame stands
	for _, f := range frames {
		id, state := "", ""
		switch f.Type {
		case chat.AgentTool:
			tool := *f.Tool
			tool.ReasonKey, tool.ReasonArgs, tool.Save = "", nil, nil
			f.Tool, id, state = &tool, tool.ID, string(tool.State)
		case chat.AgentRow:
			row := uncut(rowOf(f))
			f.Agent, id, state = row, row.ID, row.Status
		}
		if at, ok := last[id]; ok && id != "" && stateOf(out[at]) == state {
			out[at] = f
			continue
		}
		if id != "" {
			last[id] = len(out)
		}
		out = append(out, f)
	}
	return out
}

func stateOf(f chat.Frame) string {
	if f.Tool != nil {
		return string(f.Tool.State)
	}
	return rowOf(f).Status
}

// uncut is a row without a description that is cut: where it is hangs on the length of
// paths.
func uncut(row chat.Helper) chat.Helper {
	if strings.HasSuffix(row.Description, "…") {
		row.Description = "…"
	}
	return row
}

// rowOf is the row of a helper's frame, as it was decoded or already its own type.
func rowOf(f chat.Frame) (row chat.Helper) {
	if row, ok := f.Agent.(chat.Helper); ok {
		return row
	}
	data, _ := json.Marshal(f.Agent) // what was decoded can be encoded
	_ = json.Unmarshal(data, &row)
	return row
}

// lanes parts a run's frames: the chat's own, and those of helpers' cards and rows.
func lanes(frames []chat.Frame) (own, helpers []chat.Frame) {
	for _, f := range frames {
		if f.Type == chat.AgentRow || f.Type == chat.AgentTool && strings.Contains(f.Tool.ID, ":") {
			helpers = append(helpers, f)
			continue
		}
		own = append(own, f)
	}
	return own, helpers
}

// Transcript begins e2e/transcripts/<name>.txtar, with the test's own folders
// already named. Check compares at the end; -update writes.
func Transcript(t testing.TB, home *Home, name, comment string) *transcript.Transcript {
	t.Helper()
	tr := transcript.New(filepath.Join(Root(), "e2e", "transcripts", name+".txtar"), comment)
	for _, n := range []struct{ path, name string }{
		{home.Workspace, "WORKSPACE"}, {home.Data, "DATA"}, {home.DSH, "DSH_HOME"}, {home.User, "USER"}, {home.Dir, "HOME"},
		{HarnessDir(), "HARNESS"}, {Root(), "REPO"}, {"session.selectModel", "session/selectModel"}, // as 0.1.0 calls it
	} {
		tr.Name(n.path, n.name)
	}
	return tr
}

// RecordFrames adds a run's frames to a transcript, merged (see Merge).
func RecordFrames(t testing.TB, tr *transcript.Transcript, name string, frames []chat.Frame) {
	t.Helper()
	if err := writeFrames(tr, name, frames); err != nil {
		t.Fatal(err)
	}
}

func writeFrames(tr *transcript.Transcript, name string, frames []chat.Frame) error {
	var values []any
	for _, f := range Merge(frames) {
		values = append(values, f)
	}
	return tr.JSON(name, values...)
}
