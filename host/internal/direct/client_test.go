package direct

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

const firstChunk = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"},\"finish_reason\":null}],\"usage\":null}\n\n"

// at is a connection to a server.
func at(t *testing.T, address string) connections.Connection {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return connections.Connection{ID: "p", Upstream: u, Key: key(t), Models: []connections.Model{{ID: "m"}}}
}

// told says in a word what each frame shows.
func told(f chat.Frame) string {
	switch f.Type {
	case chat.Delta, chat.Reasoning:
		return string(f.Type) + " " + f.Text
	case chat.Failed:
		return string(f.Type) + " " + f.Key
	case chat.Done:
		return fmt.Sprintf("done %s %v", f.Finish, *f.Cancelled)
	}
	return string(f.Type)
}

// Stop reaches the server at once: its request ends, and so does the answer, with what
// had come shown.
func TestCancelReachesTheServer(t *testing.T) {
	left := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, firstChunk)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(left)
	}))
	defer server.Close()
	c := New(Options{Connections: []connections.Connection{at(t, server.URL)}})
	defer c.Close()
	ctx, stop := context.WithCancel(t.Context())
	var got []string
	c.Answer(ctx, Turn{Model: "p/m", Text: "x"}, func(f chat.Frame) {
		got = append(got, told(f))
		if f.Type == chat.Delta {
			stop()
		}
	})
	<-left
	if diff := cmp.Diff([]string{"start", "delta Hel", "done aborted true"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Stop before the server has answered at all.
func TestCancelBeforeTheAnswer(t *testing.T) {
	asked, left := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // or the server does not see the client leave
		close(asked)
		<-r.Context().Done()
		close(left)
	}))
	defer server.Close()
	c := New(Options{Connections: []connections.Connection{at(t, server.URL)}})
	defer c.Close()
	ctx, stop := context.WithCancel(t.Context())
	go func() { <-asked; stop() }()
	var got []string
	c.Answer(ctx, Turn{Model: "p/m", Text: "x"}, func(f chat.Frame) { got = append(got, told(f)) })
	<-left
	if diff := cmp.Diff([]string{"start", "done aborted true"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A server of the person's own that does not run is told as that, and who watches it is told.
func TestEngineDown(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	conn := at(t, gone.URL)
	conn.Kind = chat.KindLocal
	told := 0
	c := New(Options{Connections: []connections.Connection{conn}, Unreached: func() { told++ }})
	defer c.Close()
	var last chat.Frame
	c.Answer(t.Context(), Turn{Model: "p/m", Text: "x"}, func(f chat.Frame) { last = f })
	want := chat.Frame{Type: chat.Failed, Code: chat.CodeModelUnavailable, Sentence: say.Sentence(say.ModelNotRunning), Actions: []string{"retry", "choose-model"}, Details: last.Details}
	if diff := cmp.Diff(want, last); diff != "" || told != 1 || !strings.Contains(last.Details, "connection refused") {
		t.Errorf("told %d times, details %q (-want +got):\n%s", told, last.Details, diff)
	}
}

// What a connection can do wrong, over a real one.
func TestBrokenConnections(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer elsewhere.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc // nil: nobody listens
		want    []string
	}{
		{"nobody listens", nil, []string{"start", "error The model server cannot be reached. Check the address and your network, then send the message again."}},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, []string{"start", "error The model server sends to another address, which is not followed. Correct --base-url and start Strata again."}},
		{"cut in the middle", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, firstChunk)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, []string{"start", "delta Hel", "error The model's answer broke off. Send the message again to get a whole one."}},
		{"closed before a byte", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			[]string{"start", "error The model server cannot be reached. Check the address and your network, then send the message again."}},
		{"an event without end", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, firstChunk+"data: "+strings.Repeat("x", 2*MaxEvent))
		}, []string{"start", "delta Hel", "error The model did not answer properly. Send the message again; the technical text is under Details."}},
		{"a page", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>Welcome</html>\n") },
			[]string{"start", "error The model's answer broke off. Send the message again to get a whole one."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			address := gone.URL
			if tt.handler != nil {
				server := httptest.NewServer(tt.handler)
				defer server.Close()
				address = server.URL
			}
			c := New(Options{Connections: []connections.Connection{at(t, address)}, Redact: func(s string) string { return "clean" }})
			defer c.Close()
			var got []string
			c.Answer(t.Context(), Turn{Model: "p/m", Text: "x"}, func(f chat.Frame) {
				got = append(got, told(f))
				if f.Type == chat.Failed && f.Details != "clean" {
					t.Errorf("details that were not redacted: %s", f.Details)
				}
			})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// silent is a server whose answer stops after what it says, until the client leaves.
type silent struct{ says []string }

func (s silent) RoundTrip(req *http.Request) (*http.Response, error) {
	if s.says == nil {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	r, w := io.Pipe()
	go func() {
		for _, text := range s.says {
			time.Sleep(idle - time.Second) // of the bubble's clock
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
		}
		<-req.Context().Done()
		w.CloseWithError(req.Context().Err())
	}()
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: r}, nil
}

// A server that sends nothing for too long is given up; one that sends comments alone
// is not.
func TestIdle(t *testing.T) {
	conn := at(t, "http://model.test/v1")
	for _, tt := range []struct {
		name string
		says []string
		want []string
	}{
		{"no answer at all", nil, []string{"start", "error The model server did not answer in time. Send the message again, or choose another model."}},
		{"silent in the middle", []string{": wait\n\n", ": wait\n\n", firstChunk},
			[]string{"start", "delta Hel", "error The model server did not answer in time. Send the message again, or choose another model."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := New(Options{Connections: []connections.Connection{conn}, Transport: silent{tt.says}})
				var got []string
				c.Answer(t.Context(), Turn{Model: "p/m", Text: "x"}, func(f chat.Frame) { got = append(got, told(f)) })
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"20": 20 * time.Second, " 1.5 ": 1500 * time.Millisecond, "": 0, "-3": 0, "soon": 0, "1e99": 0, "NaN": 0, "999999999": 0,
		"Mon, 30 Nov 2026 12:01:00 GMT": time.Minute, "Mon, 30 Nov 2026 11:00:00 GMT": 0,
	} {
		if got := wait(text, now); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	f := &Failure{Kind: Limited, Wait: 1500 * time.Millisecond}
	if got := f.Chat("p/m").Args["seconds"]; got != "2" {
		t.Errorf("1.5 s are told as %s", got)
	}
}

// Nothing of an error holds the key, whatever the server or the network quotes.
func TestNoKeyInErrors(t *testing.T) {
	conn := at(t, "http://model.test/v1")
	quoting := roundTrip(func(r *http.Request) (*http.Response, error) {
		return nil, errors.New("proxy refused " + r.Header.Get("Authorization"))
	})
	c := New(Options{Connections: []connections.Connection{conn}, Transport: quoting})
	c.Answer(t.Context(), Turn{Model: "p/m", Text: "x"}, func(f chat.Frame) {
		if strings.Contains(fmt.Sprintf("%+v", f), secret) {
			t.Errorf("%+v", f)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// How a local model and OpenRouter are told a thinking level: in the nested form, as the
// agent tells them.
func TestThinkingOnTheWire(t *testing.T) {
	var mu sync.Mutex
	var got map[string]json.RawMessage
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got = nil
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"done\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	for _, tt := range []struct {
		kind   chat.ModelKind
		fit    bool
		effort string
		want   map[string]string
	}{
		{chat.KindLocal, true, "", map[string]string{"chat_template_kwargs": `{"enable_thinking":true,"reasoning_effort":"medium"}`, "fit_max_tokens": "true"}},
		{chat.KindLocal, false, "off", map[string]string{"chat_template_kwargs": `{"enable_thinking":false}`}},
		{chat.KindLocal, false, "high", map[string]string{"chat_template_kwargs": `{"enable_thinking":true,"reasoning_effort":"high"}`}},
		{chat.KindOpenRouter, false, "max", map[string]string{"reasoning": `{"effort":"xhigh"}`}},
		{chat.KindOpenAI, false, "high", map[string]string{}},
	} {
		conn := at(t, server.URL)
		conn.Kind, conn.FitMaxTokens = tt.kind, tt.fit
		conn.Models[0].Efforts = connections.EffortsOf(tt.kind, true)
		c := New(Options{Connections: []connections.Connection{conn}})
		c.Answer(t.Context(), Turn{Model: "p/m", Text: "hi", Effort: tt.effort}, func(chat.Frame) {})
		c.Close()
		told := map[string]string{}
		mu.Lock()
		for name, value := range got {
			switch name {
			case "model", "messages", "stream", "stream_options":
			default: // no sampling, and no level in another place
				told[name] = string(value)
			}
		}
		mu.Unlock()
		if diff := cmp.Diff(tt.want, told); diff != "" {
			t.Errorf("%s, %q (-want +got):\n%s", tt.kind, tt.effort, diff)
		}
	}
}
