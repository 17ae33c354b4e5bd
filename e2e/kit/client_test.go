package kit

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/chat"
)

// serve answers every request with a status and a body and notes what was asked.
func serve(t *testing.T, status int, body string) (Client, *[]string) {
	t.Helper()
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		asked = append(asked, r.Method+" "+r.URL.String()+" "+r.Header.Get("Authorization")+" "+string(data))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // the client may have left
	}))
	t.Cleanup(s.Close)
	return Client{URL: s.URL, Token: "t"}, &asked
}

const (
	queued  = `{"run":"r","seq":1,"type":"queued"}` + "\n"
	started = `{"run":"r","seq":2,"type":"start","agent":true,"mode":"manual","sessionId":"s"}` + "\n"
	asks    = `{"run":"r","seq":3,"type":"agent-tool","tool":{"id":"c","name":"write","title":"w","state":"proposed","digest":"d"}}` + "\n\n"
	says    = `{"run":"r","seq":4,"type":"delta","text":"he"}` + "\n" + `{"run":"r","seq":5,"type":"delta","text":"llo"}` + "\n"
	ends    = `{"run":"r","seq":6,"type":"done","cancelled":false}` + "\n"
)

func TestRun(t *testing.T) {
	ctx := Context(t)
	c, asked := serve(t, http.StatusOK, queued+started+asks+says+ends)
	ch := Chat{c, "chat 1"}
	run, err := ch.Send(ctx, "hi", Mode("plan"), RequestID("q"))
	if err != nil {
		t.Fatal(err)
	}
	card, err := run.Card(ctx, "write", chat.ToolProposed)
	if diff := cmp.Diff(chat.Tool{ID: "c", Name: "write", Title: "w", State: "proposed", Digest: "d"}, card); diff != "" || err != nil {
		t.Errorf("card (-want +got): %v\n%s", err, diff)
	}
	frames, err := run.End(ctx)
	if err != nil || len(frames) != 6 || Text(frames) != "hello" {
		t.Errorf("%d frames, text %q, %v", len(frames), Text(frames), err)
	}
	if diff := cmp.Diff([]string{"write: proposed"}, States(frames)); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
	merged := Merge(frames)
	if len(merged) != 5 || merged[3].Text != "hello" || merged[3].Seq != 0 || frames[3].Text != "he" {
		t.Errorf("merged: %+v", merged)
	}
	if _, err := run.Wait(ctx, Says("nothing")); err == nil || !strings.Contains(err.Error(), "the frame did not come") || !strings.Contains(err.Error(), `"text":"hello"`) {
		t.Errorf("got %v", err)
	}
	if _, err := ch.Attach(ctx, "r", 3); err != nil {
		t.Error(err)
	}
	want := []string{
		`POST /api/chat/stream Bearer t {"chatId":"chat 1","text":"hi","mode":"plan","requestId":"q"}`,
		`GET /api/chat/stream?after=3&chatId=chat+1&run=r Bearer t `,
	}
	if diff := cmp.Diff(want, *asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// A stream that does not keep the contract ends the run with an error.
func TestRunBreaks(t *testing.T) {
	ctx := Context(t)
	for _, tt := range []struct{ name, body, want string }{
		{"no end", queued + started, "the stream ended before its run"},
		{"nothing", "", "the stream ended before its run"},
		{"a hole", queued + asks, "frame r/3 after r/1"},
		{"another run", queued + `{"run":"x","seq":2,"type":"start"}` + "\n", "frame x/2 after r/1"},
		{"late start", started, "the first frame has seq 2, want 1"},
		{"more after the end", `{"run":"r","seq":1,"type":"done"}` + "\n" + started, "a start frame after the run's last one"},
		{"an unknown field", `{"run":"r","seq":1,"type":"queued","extra":1}` + "\n", `decoding a frame: json: unknown field "extra" in {"run":"r","seq":1,"type":"queued","extra":1}`},
	} {
		c, _ := serve(t, http.StatusOK, tt.body)
		run, err := c.NewChat().Send(ctx, "hi")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run.End(ctx); err == nil || !strings.HasPrefix(err.Error(), tt.want+"; these frames came:") {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
	c, _ := serve(t, http.StatusOK, `{"run":"","seq":0,"type":"reset","snapshot":{"messages":[]}}`+"\n")
	run, err := c.NewChat().Attach(ctx, "gone", 7)
	if err != nil {
		t.Fatal(err)
	}
	if frames, err := run.End(ctx); err != nil || len(frames) != 1 {
		t.Errorf("a reset with nothing to follow: %v, %v", frames, err)
	}
}

// A tab that is closed while frames may still come.
func TestRunLeave(t *testing.T) {
	ctx := Context(t)
	left := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		_, _ = io.WriteString(w, queued)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(left)
	}))
	defer s.Close()
	run, err := Client{URL: s.URL}.NewChat().Send(ctx, "hi")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(ctx, OfType(chat.Queued)); err != nil {
		t.Fatal(err)
	}
	run.Leave()
	<-left
	if _, err := run.End(ctx); !errors.Is(err, ErrBrokenOff) {
		t.Errorf("got %v", err)
	}
}

func TestRefused(t *testing.T) {
	ctx := Context(t)
	body, err := json.Marshal(chat.ErrorBody{Error: chat.Error{Code: chat.CodeNotPending, Sentence: chat.Sentence{Text: "Answered."}}})
	if err != nil {
		t.Fatal(err)
	}
	c, asked := serve(t, http.StatusConflict, string(body))
	err = Chat{c, "x"}.Deny(ctx, chat.Tool{ID: "c", Digest: "d"}, "no")
	var refused *Refused
	if !errors.As(err, &refused) || refused.Status != 409 || refused.Why.Code != chat.CodeNotPending || err.Error() != "409 not-pending: Answered." {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff([]string{`POST /api/chat/approval Bearer t {"sessionId":"x","toolId":"c","decision":"deny","digest":"d","note":"no"}`}, *asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	c, _ = serve(t, http.StatusBadGateway, "<html>")
	if _, err := c.Status(ctx); err == nil || err.Error() != "GET /api/agent/status: 502 and no typed error: <html>" {
		t.Errorf("got %v", err)
	}
}

func TestHostURL(t *testing.T) {
	m := hostURL.FindStringSubmatch("Open http://127.0.0.1:4711/#token=abc-_9 in a browser")
	if diff := cmp.Diff([]string{"http://127.0.0.1:4711/#token=abc-_9", "http://127.0.0.1:4711", "abc-_9"}, m); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
