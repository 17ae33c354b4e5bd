package httpapi

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/redact"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

func record(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func delta(seq int64, text string) chat.Frame {
	return chat.Frame{Run: "r1", Seq: seq, Type: chat.Delta, Sentence: chat.Sentence{Text: text}}
}

func readLine(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	l, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("%v after %q", err, l)
	}
	return l
}

// TestEachFrameArrivesAlone reads a frame before the next one exists, which only
// works where each line is flushed.
func TestEachFrameArrivesAlone(t *testing.T) {
	s := newSub()
	a := &agent{sub: s}
	addr := serve(t, Options{Agent: a})
	res := ask(t, addr, "POST", "/api/chat/stream",
		`{"chatId":"c","requestId":"q","text":"hi","mode":"plan","model":"p/m","thinking":"low","cwd":"/w","steer":true,"maxRounds":3,"attachments":[{"name":"a","mediaType":"text/plain","data":"aGk="}],"tomorrow":1}`)
	if got := res.Header.Get("Content-Type"); res.StatusCode != 200 || got != "application/x-ndjson; charset=utf-8" {
		t.Errorf("%d %s", res.StatusCode, got)
	}
	lines := bufio.NewReader(res.Body)
	cancelled := false
	for _, f := range []chat.Frame{
		{Run: "r1", Seq: 1, Type: chat.Queued},
		{Run: "r1", Seq: 2, Type: chat.Started, Agent: true, Mode: "manual", SessionID: "s"},
		delta(3, "a\n<b>"),
		{Run: "r1", Seq: 4, Type: chat.Done, Usage: &chat.Usage{Prompt: 1}, Finish: "stop", Cancelled: &cancelled},
	} {
		s.frames <- f
		want, _ := json.Marshal(f)
		if d := cmp.Diff(string(want)+"\n", readLine(t, lines)); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	close(s.frames)
	if rest, err := io.ReadAll(lines); err != nil || len(rest) != 0 {
		t.Errorf("after the last frame: %q, %v", rest, err)
	}
	want := []any{chat.StreamRequest{ChatID: "c", RequestID: "q", Text: "hi", Mode: "plan", Model: "p/m", Thinking: "low", CWD: "/w",
		Steer: true, MaxRounds: 3, Attachments: []chat.Attachment{{Name: "a", MediaType: "text/plain", Data: []byte("hi")}}}}
	if d := cmp.Diff(want, a.seen()); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
	<-s.closed
}

func TestAttachPassesWhereToBegin(t *testing.T) {
	s := newSub(delta(8, "x"))
	close(s.frames)
	a := &agent{sub: s}
	res := ask(t, serve(t, Options{Agent: a}), "GET", "/api/chat/stream?chatId=c%2F1&run=r1&after=7", "")
	if _, err := io.ReadAll(res.Body); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]any{attachCall{"c/1", "r1", 7}}, a.seen()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestAClosedTabOnlyDetaches: nothing but the subscription ends.
func TestAClosedTabOnlyDetaches(t *testing.T) {
	s := newSub(delta(1, "x"))
	a := &agent{sub: s}
	res := ask(t, serve(t, Options{Agent: a}), "POST", "/api/chat/stream", goodBody)
	readLine(t, bufio.NewReader(res.Body))
	res.Body.Close()
	<-s.closed
	if d := cmp.Diff([]any{chat.StreamRequest{ChatID: "c", RequestID: "r", Text: "hi"}}, a.seen()); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
}

// TestAReaderThatDoesNotReadIsDetached fills the connection's buffers.
func TestAReaderThatDoesNotReadIsDetached(t *testing.T) {
	s := newSub()
	addr := serve(t, Options{Agent: &agent{sub: s}, WriteTimeout: 20 * time.Millisecond})
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "GET /api/chat/stream?chatId=c HTTP/1.1\r\nHost: "+addr+"\r\nAuthorization: Bearer "+token+"\r\n\r\n")
	big := delta(1, strings.Repeat("x", 1<<20))
	for {
		select {
		case s.frames <- big:
		case <-s.closed:
			return
		}
	}
}

// TestASilentStreamBeats: an empty line per Heartbeat, and the body's deadline,
// shorter than the silence, does not end the stream.
func TestASilentStreamBeats(t *testing.T) {
	s := newSub()
	addr := serve(t, Options{Agent: &agent{sub: s}, Heartbeat: 10 * time.Millisecond, BodyTimeout: 20 * time.Millisecond})
	res := ask(t, addr, "POST", "/api/chat/stream", goodBody)
	lines := bufio.NewReader(res.Body)
	for range 5 {
		if l := readLine(t, lines); l != "\n" {
			t.Fatalf("got %q", l)
		}
	}
	s.frames <- delta(1, "x")
	for {
		l := readLine(t, lines)
		if l == "\n" {
			continue
		}
		if want := `{"run":"r1","seq":1,"type":"delta","text":"x"}` + "\n"; l != want {
			t.Errorf("got %q, want %q", l, want)
		}
		return
	}
}

func TestHeartbeatIsEvery15Seconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSub()
		srv := New(Options{Agent: &agent{sub: s}, Token: token, Hosts: []string{"h:1"}})
		req := httptest.NewRequestWithContext(t.Context(), "GET", "http://h:1/api/chat/stream?chatId=c", nil)
		req.Header.Set("Authorization", "Bearer "+token)
		time.AfterFunc(46*time.Second, func() { close(s.frames) })
		if d := cmp.Diff("\n\n\n", record(srv, req).Body.String()); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}

func TestSecretsStayOutOfFrames(t *testing.T) {
	key := "the-real-key-0123456789"
	shape := "sk-" + strings.Repeat("a1", 20)
	tool := &chat.Tool{ID: "t", State: chat.ToolDone, Result: "cat key: " + key, Details: "exit 1 " + shape}
	told := []chat.Message{{Role: "assistant", Text: key + " " + shape, Tools: []chat.Tool{*tool}}}
	s := newSub(
		delta(1, "the key is "+key+", "+shape+" is an example"),
		chat.Frame{Run: "r1", Seq: 2, Type: chat.AgentTool, Tool: tool},
		chat.Frame{Run: "r1", Seq: 3, Type: chat.Failed, Code: chat.CodeModelFailed, Details: "401 Bearer " + shape, Sentence: say.Sentence(say.ModelFailed)},
		chat.Frame{Run: "r1", Seq: 4, Type: chat.Reset, Snapshot: &chat.Snapshot{Messages: told}},
	)
	close(s.frames)
	res := ask(t, serve(t, Options{Agent: &agent{sub: s}, Redact: redact.New(key)}), "GET", "/api/chat/stream?chatId=c", "")
	var got []chat.Frame
	for d := json.NewDecoder(res.Body); d.More(); {
		var f chat.Frame
		if err := d.Decode(&f); err != nil {
			t.Fatal(err)
		}
		got = append(got, f)
	}
	want := []chat.Frame{
		delta(1, "the key is [redacted], "+shape+" is an example"),
		{Run: "r1", Seq: 2, Type: chat.AgentTool, Tool: &chat.Tool{ID: "t", State: chat.ToolDone, Result: "cat key: [redacted]", Details: "exit 1 [redacted]"}},
		{Run: "r1", Seq: 3, Type: chat.Failed, Code: chat.CodeModelFailed, Details: "401 Bearer [redacted]", Sentence: say.Sentence(say.ModelFailed)},
		{Run: "r1", Seq: 4, Type: chat.Reset, Snapshot: &chat.Snapshot{Messages: []chat.Message{{Role: "assistant", Text: "[redacted] " + shape,
			Tools: []chat.Tool{{ID: "t", State: chat.ToolDone, Result: "cat key: [redacted]", Details: "exit 1 [redacted]"}}}}}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if tool.Details != "exit 1 "+shape || told[0].Tools[0].Details != "exit 1 "+shape {
		t.Error("the run's own frame was changed")
	}
}
