package muxport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"testing"

	"go.uber.org/goleak"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/muxport"
	"strata.dev/bridge/e2e/scriptmodel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// asking is a plugin that asks before every bash call.
const asking = `export const name = 'asking'
export const inject = ['tools']
export function apply(ctx) {
  ctx.on('tools/pre-execute', async (exec, next) => exec.name === 'bash' ? { kind: 'ask', reason: 'sure?' } : next())
}
`

// port is a process whose modern wire is driven directly.
type port struct {
	*kit.Home
	process   *kit.Process
	component string
	model     *scriptmodel.Model
	token     string
	host      string // host:port
	cookie    string
	older     string // host:port of the older wire of the same process
}

var olderLine = regexp.MustCompile(`^muxport: events.mux is at http://(\S+)$`)

var readyLine = regexp.MustCompile(`^dsh web: http://([^/\s]+)/\?token=([A-Za-z0-9_-]+)$`)

// start starts the Harness and logs in.
func start(ctx context.Context, t *testing.T, o muxport.Options) *port {
	t.Helper()
	home := kit.NewHome(t)
	p := &port{Home: home, model: kit.StartModel(t, scriptmodel.Config{}), component: kit.RemoteMux(t, home, o)}
	p.launch(ctx, t)
	return p
}

// launch starts the process, again after one that has ended, and logs in.
func (p *port) launch(ctx context.Context, t *testing.T) {
	t.Helper()
	patch := kit.Permissions + "- insert: [{id: asking, name: " + p.Plugin(t, "asking.mjs", asking) + "}]\n" +
		"- id: session-title-llm\n  disabled: true\n"
	p.process = kit.LaunchHarness(t, p.Home, kit.HarnessOptions{Dir: p.component, Model: p.model, Patches: []string{patch}})
	line, err := p.process.WaitLine(ctx, olderLine.MatchString)
	if err != nil {
		t.Fatal(err)
	}
	p.older = olderLine.FindStringSubmatch(line)[1]
	if line, err = p.process.WaitLine(ctx, readyLine.MatchString); err != nil {
		t.Fatal(err)
	}
	m := readyLine.FindStringSubmatch(line)
	p.host, p.token = m[1], m[2]
	res := p.get(ctx, t, "/?token="+p.token)
	if cookies := res.Cookies(); len(cookies) == 1 {
		p.cookie = cookies[0].Name + "=" + cookies[0].Value
	} else {
		t.Fatalf("logging in: %s with the cookies %v", res.Status, cookies)
	}
}

// direct follows no redirect and keeps no connection.
var direct = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func (p *port) get(ctx context.Context, t *testing.T, path string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.host+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := direct.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res
}

// post sends a body and gives the status and the answer. A header "Host" is the
// request's host.
func (p *port) post(ctx context.Context, t *testing.T, path, body string, header http.Header) (int, string) {
	t.Helper()
	return post(ctx, t, "http://"+p.host+path, body, header)
}

func post(ctx context.Context, t *testing.T, url, body string, header http.Header) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	if host := header.Get("Host"); host != "" {
		req.Host = host
	}
	res, err := direct.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// in are the headers that are let in, changed.
func (p *port) in(changes ...string) http.Header {
	h := http.Header{"Cookie": {p.cookie}, "Content-Type": {"application/json"}}
	for i := 0; i < len(changes); i += 2 {
		if h.Del(changes[i]); changes[i+1] != "" {
			h.Set(changes[i], changes[i+1])
		}
	}
	return h
}

// call makes a call; a refusal is a *refusal.
func (p *port) call(ctx context.Context, t *testing.T, method string, args any, into any) error {
	t.Helper()
	body, err := json.Marshal(map[string]any{"type": "client-request", "rpcId": "r", "method": method, "payload": map[string]any{"args": args}})
	if err != nil {
		t.Fatal(err)
	}
	status, text := p.post(ctx, t, "/api/"+method, string(body), p.in())
	var answer struct {
		Type   string `json:"type"`
		RPCID  string `json:"rpcId"`
		Result struct {
			OK    bool            `json:"ok"`
			Value json.RawMessage `json:"value"`
			Error *refusal        `json:"error"`
		} `json:"result"`
	}
	if status != http.StatusOK {
		t.Fatalf("%s: %d %s", method, status, text)
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Type != "server-response" || answer.RPCID != "r" {
		t.Fatalf("%s answers %s", method, text)
	}
	if !answer.Result.OK {
		return answer.Result.Error
	}
	if into != nil {
		if err := json.Unmarshal(answer.Result.Value, into); err != nil {
			t.Fatalf("%s answers %s: %v", method, text, err)
		}
	}
	return nil
}

// session makes a session in the workspace.
func (p *port) session(ctx context.Context, t *testing.T) string {
	t.Helper()
	var made struct {
		SessionID string `json:"sessionId"`
	}
	if err := p.call(ctx, t, "session/create", m{"request": m{"cwd": p.Workspace}}, &made); err != nil {
		t.Fatal(err)
	}
	return made.SessionID
}

// prompt sends a script.
func (p *port) prompt(ctx context.Context, t *testing.T, session, id, text string) {
	t.Helper()
	err := p.call(ctx, t, "session/prompt", m{"request": m{
		"requestId": id, "sessionId": session, "mode": "queue", "content": []m{{"type": "text", "text": text}},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
}

type m map[string]any

// mux opens the socket.
func (p *port) mux(ctx context.Context, t *testing.T) *socket {
	t.Helper()
	s, err := dial(ctx, t, p.host, "/api/remote.mux", p.in(), false)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// send sends a message.
func (s *socket) send(t *testing.T, message any) {
	t.Helper()
	data, err := json.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.write(opText, data); err != nil {
		t.Fatal(err)
	}
}

// open opens a stream.
func (s *socket) open(t *testing.T, id, endpoint string, args any) {
	t.Helper()
	s.send(t, m{"type": "open", "streamId": id, "endpoint": endpoint, "payload": m{"args": args}})
}

// next gives the next frame of a stream; those of others are passed over.
func (s *socket) next(t *testing.T, id string) frame {
	t.Helper()
	for {
		data, err := s.read()
		if err != nil {
			t.Fatal(err)
		}
		var f frame
		if err := json.Unmarshal(data, &f); err != nil {
			t.Fatal(err)
		}
		if f.StreamID == id {
			return f
		}
	}
}

// item gives the value of the next item of a stream.
func item[T any](t *testing.T, s *socket, id string) T {
	t.Helper()
	f := s.next(t, id)
	var v T
	if f.Type != "item" {
		t.Fatalf("%s: got %s %v, want an item", id, f.Type, f.Error)
	}
	if err := json.Unmarshal(f.Value, &v); err != nil {
		t.Fatalf("%s: %s: %v", id, f.Value, err)
	}
	return v
}
