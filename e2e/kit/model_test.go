package kit

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/dsh"
)

// turn sends a message and gives what the model said in that turn, joined by
// lines, and how the turn ended.
func turn(ctx context.Context, t *testing.T, h *Harness, session, text string) (said []string, end string) {
	t.Helper()
	before, err := h.History(ctx, session)
	if err != nil {
		t.Fatal(err)
	}
	from := int64(-1)
	if len(before) > 0 {
		from = before[len(before)-1].Seq
	}
	if err := h.Prompt(ctx, session, text); err != nil {
		t.Fatal(err)
	}
	log, err := h.WaitHistory(ctx, session, func(e dsh.Event) bool { return e.Type == dsh.TypeTurnEnd && e.Seq > from })
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range log {
		if e.Seq <= from {
			continue
		}
		switch e.Type {
		case dsh.TypeAssistantMessage:
			if text := answer(t, e); text != "" {
				said = append(said, text)
			}
		case dsh.TypeTurnEnd:
			return said, endOf(t, e)
		}
	}
	t.Fatal("the turn's end is not in the log")
	return nil, ""
}

func answer(t *testing.T, e dsh.Event) string {
	t.Helper()
	var data struct {
		Message struct {
			Content []struct{ Type, Text string } `json:"content"`
		} `json:"message"`
	}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		t.Fatal(err)
	}
	var out string
	for _, b := range data.Message.Content {
		if b.Type == "text" {
			out += b.Text
		}
	}
	return out
}

func endOf(t *testing.T, e dsh.Event) string {
	t.Helper()
	var data struct {
		Reason struct {
			Kind  string                      `json:"kind"`
			Error struct{ Code, Name string } `json:"error"`
		} `json:"reason"`
	}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(data.Reason.Kind + " " + data.Reason.Error.Code)
}

// The scripted model and the demo on the real Harness, one process for all cases.
func TestModelOnHarness(t *testing.T) {
	Needs(t, EventsMux)
	ctx := Context(t)
	home := NewHome(t)
	home.File(t, "README.md", "# Hi\nthere\n")
	home.File(t, "test.sh", "echo fine\n")
	model := StartModel(t, scriptmodel.Config{})
	h := StartHarness(ctx, t, home, HarnessOptions{Model: model, Patches: []string{Permissions}})
	session := func(t *testing.T) string {
		t.Helper()
		id, err := h.CreateSession(ctx, home.Workspace)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := h.Command(ctx, id, "/permission strata-bypass"); err != nil || r.Kind != "success" {
			t.Fatalf("permission: %+v, %v", r, err)
		}
		return id
	}

	t.Run("demo", func(t *testing.T) {
		id := session(t)
		for _, tt := range []struct{ text, want string }{
			{"list the files here", "There are 2 things here: README.md, test.sh."},
			{"what is in README", "README.md says:\n\n```\n# Hi\nthere\n```"},
			{"write hello.txt with the text good morning", "I wrote hello.txt."},
			{"write README.md", "I wrote README.md."},
			{"search for morning", "This is where I found morning:\n\n```\nFound 1 match\n\nhello.txt\nLine 1: good morning\n```"},
			{`replace "good" with "fine" in hello.txt`, "In hello.txt it now says fine."},
			{"run the tests", "The tests pass:\n\n```\nfine\n```"},
			{"ask a helper to list the files here", "The helper says:\n\nThere are 3 things here: README.md, hello.txt and test.sh."},
			{"delete hello.txt", "hello.txt is deleted."},
			{"thanks", "You are welcome."},
		} {
			said, end := turn(ctx, t, h, id, tt.text)
			if end != "completed" || len(said) == 0 || strings.Replace(said[len(said)-1], "README.md and test.sh", "README.md, test.sh", 1) != tt.want {
				t.Errorf("%q: %q, %s", tt.text, said, end)
			}
		}
	})
	t.Run("helpers", func(t *testing.T) {
		child := scriptmodel.Steps(scriptmodel.Bash("echo from the child"), scriptmodel.Say("child says"))
		said, end := turn(ctx, t, h, session(t), scriptmodel.Steps(scriptmodel.Helper("one", child, false), scriptmodel.Say("parent done")))
		if diff := cmp.Diff([]string{"parent done"}, said); diff != "" || end != "completed" {
			t.Errorf("foreground %s (-want +got):\n%s", end, diff)
		}
		id := session(t)
		said, end = turn(ctx, t, h, id, scriptmodel.Steps(scriptmodel.Helper("two", child, true), scriptmodel.Say("parent goes on"), scriptmodel.Say("the helper is back")))
		if len(said) == 0 || said[0] != "parent goes on" || end != "completed" {
			t.Errorf("background: %q, %s", said, end)
		}
		if _, err := h.WaitHistory(ctx, id, func(e dsh.Event) bool {
			return e.Type == dsh.TypeAssistantMessage && answer(t, e) == "the helper is back"
		}); err != nil {
			t.Error(err)
		}
	})
	t.Run("faults", func(t *testing.T) {
		for _, tt := range []struct{ script, want, end string }{
			{"#! ERR 429 x1 / SAY after 429", "after 429", "completed"},
			{"#! SAY half / CUT x1 / SAY whole", "halfwhole", "completed"},
			{"#! ERR 500 x1 / SAY after 500", "after 500", "completed"},
			{"#! ERR 401", "", "error AUTH"},
			{"#! ERR 400", "", "error INVALID_REQUEST"},
			{"#! ERR 429", "", "error RATE_LIMIT"},
			{"#! ERR 400 overflow", "", "error CONTEXT_WINDOW_EXCEEDED"},
			{"#! NOTHING", "", "error INVALID_REQUEST"},
		} {
			said, end := turn(ctx, t, h, session(t), tt.script)
			if got := strings.Join(said, ""); got != tt.want || end != tt.end {
				t.Errorf("%s: %q, %s", tt.script, said, end)
			}
		}
	})
	t.Run("cancel", func(t *testing.T) {
		id := session(t)
		if err := h.Prompt(ctx, id, "#! SAY begun / HANG"); err != nil {
			t.Fatal(err)
		}
		if _, err := model.WaitRequest(ctx, scriptmodel.And(scriptmodel.Asks("SAY begun"), func(r scriptmodel.Request) bool { return r.Status == 200 })); err != nil {
			t.Fatal(err)
		}
		if err := h.Call(ctx, "session.cancel", map[string]string{"sessionId": id}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := model.WaitRequest(ctx, scriptmodel.And(scriptmodel.Asks("SAY begun"), scriptmodel.WasLeft)); err != nil {
			t.Error(err)
		}
	})
	t.Run("compaction keeps a script's place", func(t *testing.T) {
		id := session(t)
		long := strings.Repeat("so much to read ", 400)
		for range 3 {
			if said, end := turn(ctx, t, h, id, "#! SAY "+long); end != "completed" {
				t.Fatalf("%q, %s", said, end)
			}
		}
		said, end := turn(ctx, t, h, id, "#! CALL bash {\"command\":\"true\",\"description\":\"d\"} / THEN / ERR 400 overflow x1 / SAY second / THEN / SAY third")
		if diff := cmp.Diff([]string{"second"}, said); diff != "" || end != "completed" {
			t.Errorf("%s (-want +got):\n%s", end, diff)
		}
		if _, err := model.WaitRequest(ctx, func(r scriptmodel.Request) bool { return r.Kind == scriptmodel.Compaction && r.Ended }); err != nil {
			t.Error(err)
		}
	})
}
