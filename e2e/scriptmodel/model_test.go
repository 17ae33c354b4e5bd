package scriptmodel

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// limit ends a test that would otherwise wait for ever; nothing is measured by it.
const limit = 30 * time.Second

func start(t *testing.T, config Config) (*Model, context.Context) {
	t.Helper()
	m, err := Start(config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(func() {
		cancel()
		http.DefaultClient.CloseIdleConnections()
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m, ctx
}

func ask(ctx context.Context, t *testing.T, m *Model, script string) *http.Response {
	t.Helper()
	body, err := json.Marshal(object{"stream": true, "messages": []object{{"role": "user", "content": script}}})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL()+"/chat/completions", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer k")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// readTo reads lines until one holds text.
func readTo(t *testing.T, lines *bufio.Reader, text string) {
	t.Helper()
	for {
		line, err := lines.ReadString('\n')
		if strings.Contains(line, text) {
			return
		}
		if err != nil {
			t.Fatalf("%q did not come: %v", text, err)
		}
	}
}

func TestHold(t *testing.T) {
	m, ctx := start(t, Config{})
	lines := bufio.NewReader(ask(ctx, t, m, Steps(Step(Say("before"), Hold("gate"), Say("after")))).Body)
	readTo(t, lines, `"before"`)
	if _, err := m.WaitRequest(ctx, HeldAt("gate")); err != nil {
		t.Fatal(err)
	}
	m.Release("gate")
	m.Release("gate")
	readTo(t, lines, `"after"`)
	readTo(t, lines, "[DONE]")
	readTo(t, bufio.NewReader(ask(ctx, t, m, Steps(Step(Hold("gate"), Say("open")))).Body), `"open"`)
}

func TestControlRoutes(t *testing.T) {
	m, ctx := start(t, Config{})
	lines := bufio.NewReader(ask(ctx, t, m, Steps(Step(Say("before"), Hold("a b"), Say("after")))).Body)
	get := func(method, path string) (int, string) {
		req, err := http.NewRequestWithContext(ctx, method, m.ControlURL()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	status, body := get(http.MethodGet, "/held?name=a+b")
	var held Request
	if err := json.Unmarshal([]byte(body), &held); err != nil || status != http.StatusOK || held.Held != "a b" || held.N != 1 {
		t.Errorf("held: %d %s (%v)", status, body, err)
	}
	if status, body := get(http.MethodPost, "/release?name=a+b"); status != http.StatusNoContent {
		t.Errorf("release: %d %s", status, body)
	}
	readTo(t, lines, `"after"`)
	if status, _ := get(http.MethodPost, "/release"); status != http.StatusBadRequest {
		t.Errorf("release without a name: %d", status)
	}
	var all []Request
	if _, body := get(http.MethodGet, "/requests"); json.Unmarshal([]byte(body), &all) != nil || len(all) != 1 {
		t.Errorf("requests: %s", body)
	}
}

func TestClientLeaves(t *testing.T) {
	for name, script := range map[string]string{
		"hang":  Steps(Step(Say("x"), "HANG")),
		"hold":  Steps(Step(Say("x"), Hold("never"))),
		"sleep": Steps(Step(Say("x"), "SLEEP 3600000")),
	} {
		t.Run(name, func(t *testing.T) {
			m, ctx := start(t, Config{})
			client, leave := context.WithCancel(ctx)
			readTo(t, bufio.NewReader(ask(client, t, m, script).Body), `"x"`)
			leave()
			if _, err := m.WaitRequest(ctx, And(WasLeft, HasEnded, Asks(firstLine(script)))); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestRecordsAndKey(t *testing.T) {
	m, ctx := start(t, Config{Key: "k", Window: 50, Refuse: true})
	if resp := ask(ctx, t, m, "#! SAY a / THEN / SAY b"); resp.StatusCode != http.StatusOK {
		t.Errorf("status %d", resp.StatusCode)
	}
	if resp := ask(ctx, t, m, "#! SAY "+strings.Repeat("long ", 100)); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("over the window: status %d", resp.StatusCode)
	}
	if got := post(t, strings.TrimSuffix(m.URL(), "/v1"), `{"messages":[{"role":"user","content":"no key"}]}`); !strings.HasPrefix(got, "401 application/json\n") || !strings.Contains(got, "invalid_api_key") {
		t.Errorf("without a key: %s", got)
	}
	if _, err := m.WaitRequest(ctx, And(HasEnded, Asks("no key"))); err != nil {
		t.Fatal(err)
	}
	type row struct {
		N, Status, Step int
		Kind            Kind
		Auth            string
		Ended           bool
	}
	want := []row{{1, 200, 0, Chat, "Bearer k", true}, {2, 400, 0, Chat, "Bearer k", true}, {3, 401, -1, Chat, "", true}}
	var got []row
	for _, r := range m.Requests() {
		if _, err := m.WaitRequest(ctx, func(x Request) bool { return x.N == r.N && x.Ended }); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range m.Requests() {
		got = append(got, row{r.N, r.Status, r.Step, r.Kind, r.Header.Get("Authorization"), r.Ended})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestWaitRequestSaysWhatCame(t *testing.T) {
	m, ctx := start(t, Config{})
	if _, err := io.Copy(io.Discard, ask(ctx, t, m, "#! SAY a").Body); err != nil {
		t.Fatal(err)
	}
	if _, err := m.WaitRequest(ctx, HasEnded); err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	_, err := m.WaitRequest(over, Asks("something else"))
	want := "waiting for a request to the model: context canceled; it got:\n  1 chat step 0 status 200 held \"\" ended true left false: \"#! SAY a\""
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestModels(t *testing.T) {
	m, ctx := start(t, Config{Models: []string{"a", "b"}})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, m.URL()+"/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"data":[{"id":"a","object":"model","created":1700000000,"owned_by":"strata"},{"id":"b","object":"model","created":1700000000,"owned_by":"strata"}],"object":"list"}` + "\n"
	if diff := cmp.Diff(want, string(body)); diff != "" {
		t.Errorf("models (-want +got):\n%s", diff)
	}
}
