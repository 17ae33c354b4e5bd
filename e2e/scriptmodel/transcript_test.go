package scriptmodel

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what the model answers into testdata")

// Each transcript holds requests, in order to one model, and the answers.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			want, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(New(Config{Window: 2000}).Handler())
			defer server.Close()
			got := &txtar.Archive{Comment: want.Comment}
			for _, f := range want.Files {
				if !strings.HasPrefix(f.Name, "request") {
					continue
				}
				got.Files = append(got.Files, f, txtar.File{Name: strings.Replace(f.Name, "request", "answer", 1), Data: []byte(post(t, server.URL, string(f.Data)))})
			}
			if len(got.Files) == 0 {
				t.Fatal("the transcript holds no request")
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(want)), string(txtar.Format(got))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		})
	}
}

// post sends a chat request and gives status and body; a connection that breaks
// off shows as a last line.
func post(t *testing.T, url, body string) string {
	t.Helper()
	resp, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		return "broken off before an answer\n"
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	out := fmt.Sprintf("%d %s\n%s", resp.StatusCode, resp.Header.Get("Content-Type"), data)
	if err != nil {
		out += "broken off\n"
	}
	return strings.TrimRight(out, "\n") + "\n"
}
