package direct

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/proto/chat"
)

// TestCount asks the server by its own route, with its key, and one that has no such
// route no second time.
func TestCount(t *testing.T) {
	status, asked := http.StatusOK, []string(nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model    string
			Messages []struct{ Role, Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Messages) != 1 {
			t.Errorf("the body has %+v, %v", body, err)
		}
		asked = append(asked, fmt.Sprint(r.Method, " ", r.URL.Path, " ", body.Model, " ", len(body.Messages[0].Content)))
		w.WriteHeader(status)
		fmt.Fprint(w, `{"input_tokens": 66500}`)
	}))
	defer server.Close()
	upstream, err := url.Parse(server.URL) // as a local server is saved: without the version
	if err != nil {
		t.Fatal(err)
	}
	all := []connections.Connection{{ID: "p", Kind: chat.KindLocal, Upstream: upstream, Models: []connections.Model{{ID: "vendor/m"}}}}
	c := New(Options{Connections: all})
	defer c.Close()
	count := func(model string) string {
		tokens, ok := c.Count(t.Context(), model, "hello")
		return fmt.Sprint(tokens, " ", ok)
	}
	got := []string{count("p/vendor/m"), count("p/gone")}
	status = http.StatusInternalServerError
	got = append(got, count("p/vendor/m"))
	status = http.StatusNotFound
	got = append(got, count("p/vendor/m"), count("p/vendor/m"))
	status = http.StatusOK
	c.SetConnections(all) // another engine may be there now
	got = append(got, count("p/vendor/m"))
	if diff := cmp.Diff([]string{"66500 true", "0 false", "0 false", "0 false", "0 false", "66500 true"}, got); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	want := "POST /v1/messages/count_tokens vendor/m 5"
	if diff := cmp.Diff([]string{want, want, want, want}, asked); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}
