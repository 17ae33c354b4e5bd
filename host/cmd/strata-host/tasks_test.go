package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/proto/chat"
)

// A run's end that was among lost events is found among the results.
func TestRunWaitsOverLostEvents(t *testing.T) {
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "token"), []byte("t"), 0o600); err != nil {
		t.Fatal(err)
	}
	result := chat.TaskResult{ID: "run", TaskID: "a", Outcome: chat.TaskDone, Summary: "found", Note: say.Sentence(say.TaskNothing)}
	answer := func(v any) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(v) }
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/events", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, ": \n\nid: a-1\nevent: task\ndata: {\"type\":\"task\",\"task\":{\"what\":\"ended\",\"taskId\":\"b\",\"result\":{\"id\":\"other\"}}}\n\n"+
			"id: a-9\nevent: reset\ndata: {\"type\":\"reset\"}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("POST /api/tasks/a/run", answer(chat.Task{ID: "a", Running: &chat.TaskRun{ID: "run"}}))
	mux.HandleFunc("GET /api/tasks/a/results", answer(chat.TaskResults{Results: []chat.TaskResult{{ID: "later"}, result}}))
	web := httptest.NewServer(mux)
	defer web.Close()
	lock, err := store.Acquire(hostLock(data))
	if err == nil {
		err = lock.SetNote(note(web.URL+"/", false))
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := lock.Release(); err != nil {
			t.Error(err)
		}
	}()
	var out bytes.Buffer
	s := scheduled{running: running{data: data}, out: &out, asJSON: true}
	if err := s.run(t.Context(), "a", true); err != nil {
		t.Fatal(err)
	}
	var got chat.TaskResult
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(result, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	web.CloseClientConnections()
	if err := s.run(t.Context(), "b", true); !errors.As(err, new(coded)) {
		t.Errorf("a task that is not there: %v", err)
	}
}

func TestPlain(t *testing.T) {
	if got := plain("a\x1b[31mb\x07\r\n\tc\u009b1m"); got != "a[31mb\n\tc1m" {
		t.Errorf("%q", got)
	}
}
