package httpapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/redact"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

func TestRoutes(t *testing.T) {
	title, archived := "New", true
	full := &agent{
		pending: []chat.Pending{{ChatID: "c", SessionID: "s", Tool: chat.Tool{ID: "t", Name: "write", Title: "Write a", State: chat.ToolProposed}}},
		status:  chat.AgentStatus{State: "ready", Pending: 1, Sentence: say.Sentence(say.AgentReady), Detail: "key the-real-key"},
		list:    chat.ChatList{Chats: []chat.ChatSummary{{ChatID: "c", Title: "T", UpdatedAt: 5}}},
		chat: chat.Chat{ChatSummary: chat.ChatSummary{ChatID: "c", Title: "T"}, Seq: 3, Messages: []chat.Message{
			{Role: "user", Text: "hi the-real-key", Time: 1},
			{Role: "assistant", Tools: []chat.Tool{{ID: "t", Details: "Bearer abcdefghijkl0123456789"}}, Time: 2}}},
	}
	for _, tt := range []struct {
		name, method, path, body string
		agent                    *agent
		call                     any
		want                     string
	}{
		{"approve", "POST", "/api/chat/approval", `{"sessionId":"s","toolId":"t","decision":"approve","digest":"d"}`, full,
			chat.ApprovalRequest{SessionID: "s", ToolID: "t", Decision: "approve", Digest: "d"}, `{}`},
		{"deny with a note", "POST", "/api/chat/approval", `{"sessionId":"s","toolId":"t","decision":"deny","note":"no","scope":"x","pattern":"p"}`, full,
			chat.ApprovalRequest{SessionID: "s", ToolID: "t", Decision: "deny", Note: "no", Scope: "x", Pattern: "p"}, `{}`},
		{"stop", "POST", "/api/chat/stop", `{"sessionId":"s"}`, full, chat.StopRequest{SessionID: "s"}, `{"stopped":true}`},
		{"stop by chat", "POST", "/api/chat/stop", `{"chatId":"c"}`, full, chat.StopRequest{ChatID: "c"}, `{"stopped":true}`},
		{"take back", "DELETE", "/api/chats/a%2Fb/waiting/r", "", full, waitingCall{"take back", "a/b", "r"}, `{"chatId":"a/b","text":"later","requestId":"q"}`},
		{"steer what waits", "POST", "/api/chats/c/waiting/r/steer", "", full, waitingCall{"steer", "c", "r"}, `{}`},
		{"pending", "GET", "/api/agent/pending?chatId=c", "", full, "pending c",
			`{"pending":[{"chatId":"c","sessionId":"s","tool":{"id":"t","name":"write","title":"Write a","state":"proposed"}}]}`},
		{"nothing pending", "GET", "/api/agent/pending", "", &agent{}, "pending ", `{"pending":[]}`},
		{"status", "GET", "/api/agent/status", "", full, "status",
			`{"state":"ready","pending":1,"detail":"key [redacted]","text":"` + say.AgentReady + `","key":"` + say.AgentReady + `","restarts":0,"queued":0}`},
		{"chats", "GET", "/api/chats", "", full, "chats", `{"chats":[{"chatId":"c","title":"T","updatedAt":5}]}`},
		{"no chats", "GET", "/api/chats", "", &agent{}, "chats", `{"chats":[]}`},
		{"chat", "GET", "/api/chats/c", "", full, "chat c",
			`{"chatId":"c","title":"T","updatedAt":0,"messages":[{"role":"user","text":"hi [redacted]","time":1},` +
				`{"role":"assistant","tools":[{"id":"t","name":"","title":"","state":"","details":"Bearer [redacted]"}],"time":2}],"seq":3}`},
		{"empty chat", "GET", "/api/chats/e", "", &agent{}, "chat e", `{"chatId":"","title":"","updatedAt":0,"messages":[]}`},
		{"chat whose id needs escapes", "GET", "/api/chats/a%2Fb%20c%3F", "", &agent{}, "chat a/b c?", `{"chatId":"","title":"","updatedAt":0,"messages":[]}`},
		{"rename", "PATCH", "/api/chats/c", `{"title":"New"}`, full, patchCall{"c", chat.ChatPatch{Title: &title}}, `{"chatId":"c","title":"New","updatedAt":0}`},
		{"archive", "PATCH", "/api/chats/c", `{"archived":true}`, full, patchCall{"c", chat.ChatPatch{Archived: &archived}}, `{"chatId":"c","title":"New","updatedAt":0}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.agent.calls = nil
			res := ask(t, serve(t, Options{Agent: tt.agent, Redact: redact.New("the-real-key")}), tt.method, tt.path, tt.body)
			b, err := io.ReadAll(res.Body)
			if err != nil || res.StatusCode != 200 || res.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%d %s %v", res.StatusCode, res.Header.Get("Content-Type"), err)
			}
			if d := cmp.Diff(tt.want+"\n", string(b)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if d := cmp.Diff([]any{tt.call}, tt.agent.seen()); d != "" {
				t.Errorf("call (-want +got):\n%s", d)
			}
		})
	}
}

// TestStatusHoldsNoSecret: all that a support person needs is there, and a secret in no
// field of it.
func TestStatusHoldsNoSecret(t *testing.T) {
	const shape = "sk-abcdefghijkl0123456789abcdefghijkl"
	a := &agent{status: chat.AgentStatus{
		State: "stopped", Component: "/harness", Version: "0.1.0-rc.8", Wire: "events.mux", Detail: "Bearer " + shape + " the-real-key",
		Plugins: []chat.PluginStatus{{Name: "gate", SHA256: "ab", Running: "the-real-key", Missing: []string{"guard"}, CheckedAt: 5}},
		Routes:  []chat.Route{{ID: "p/m", Name: "the-real-key", Images: true}},
		Turns:   []chat.ActiveTurn{{ChatID: "c", Run: "r", Mode: "manual"}}, Pending: 2,
		Process: &chat.AgentProcess{PID: 7, StartedAt: 1, UptimeMs: 9}, Restarts: 3,
		LastError: &chat.LastError{Time: 4, ChatID: "c", Run: "r", Code: chat.CodeModelFailed, Details: "401 Bearer " + shape + " the-real-key", Sentence: say.Sentence(say.ModelKeyRefused)},
		Skipped:   []chat.Skipped{{Kind: "type", Name: "the-real-key", N: 2}},
	}}
	addr := serve(t, Options{Agent: a, Redact: redact.New("the-real-key"), DataDir: "/data", LogFile: "/data/logs/host.log"})
	for range 2 { // what is kept is not changed
		res := ask(t, addr, "GET", "/api/agent/status", "")
		var got chat.AgentStatus
		raw, err := io.ReadAll(res.Body)
		if err == nil {
			err = json.Unmarshal(raw, &got)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{shape, "the-real-key", token} {
			if strings.Contains(string(raw), secret) {
				t.Errorf("%s is in %s", secret, raw)
			}
		}
		want := a.status
		want.Detail = "Bearer [redacted] [redacted]"
		want.Plugins = []chat.PluginStatus{{Name: "gate", SHA256: "ab", Running: "[redacted]", Missing: []string{"guard"}, CheckedAt: 5}}
		want.Routes = []chat.Route{{ID: "p/m", Name: "[redacted]", Images: true}}
		last := *want.LastError
		last.Details = "401 Bearer [redacted] [redacted]"
		want.LastError = &last
		want.Skipped = []chat.Skipped{{Kind: "type", Name: "[redacted]", N: 2}}
		want.DataDir, want.LogFile = "/data", "/data/logs/host.log"
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
}

func TestHealthIsOpenAndEmpty(t *testing.T) {
	ready := false
	addr := serve(t, Options{Agent: &agent{}, Ready: func() bool { return ready }})
	for _, tt := range []struct {
		path   string
		ready  bool
		status int
	}{{"/livez", false, 200}, {"/readyz", false, 503}, {"/readyz", true, 200}} {
		ready = tt.ready
		res := ask(t, addr, "GET", tt.path, "", "Authorization", "")
		b, _ := io.ReadAll(res.Body)
		if res.StatusCode != tt.status || len(b) != 0 {
			t.Errorf("%s: %d %q", tt.path, res.StatusCode, b)
		}
	}
}

func TestOwnOriginsPass(t *testing.T) {
	addr := serve(t, Options{Agent: &agent{}})
	local := "localhost" + addr[strings.LastIndexByte(addr, ':'):]
	for _, h := range []string{addr, local, strings.ToUpper(local)} {
		res := ask(t, addr, "GET", "/api/chats", "", "Host", h, "Origin", "http://"+strings.ToLower(h))
		if res.StatusCode != 200 {
			t.Errorf("%s: %d", h, res.StatusCode)
		}
	}
}

func TestPageAndHeaders(t *testing.T) {
	addr := serve(t, Options{Agent: &agent{}})
	res := ask(t, addr, "GET", "/", "", "Authorization", "")
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%d %s", res.StatusCode, res.Header.Get("Content-Type"))
	}
	tag := res.Header.Get("ETag")
	if again := ask(t, addr, "GET", "/", "", "If-None-Match", tag); again.StatusCode != http.StatusNotModified {
		t.Errorf("with its ETag: %d", again.StatusCode)
	}
	for _, path := range []string{"/", "/none", "/livez", "/api/chats"} {
		h := ask(t, addr, "GET", path, "").Header
		got := map[string]string{}
		for _, k := range []string{"Content-Security-Policy", "X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy",
			"Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy", "Access-Control-Allow-Origin", "Set-Cookie"} {
			got[k] = h.Get(k)
		}
		want := map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
			"Access-Control-Allow-Origin": "", "Set-Cookie": "",
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
	}
	for _, never := range []string{"unsafe-inline", "unsafe-eval", "*", "http:", "data:"} {
		if strings.Contains(policy, never) {
			t.Errorf("the policy allows %s", never)
		}
	}
}

// TestLogHoldsNoURL: neither a query nor a token nor a chat's id is logged.
func TestLogHoldsNoURL(t *testing.T) {
	log := &logBuffer{}
	addr := serve(t, Options{Agent: &agent{}, Log: log.logger()})
	ask(t, addr, "GET", "/api/agent/pending?chatId=private-chat", "")
	ask(t, addr, "GET", "/api/chats/private-chat", "")
	ask(t, addr, "GET", "/api/none/private-chat?token="+token, "")
	ask(t, addr, "GET", "/api/chats?token="+token, "", "Authorization", "")
	got := log.String()
	for _, no := range []string{"private-chat", token, "token="} {
		if strings.Contains(got, no) {
			t.Errorf("the log holds %q:\n%s", no, got)
		}
	}
	if n := strings.Count(got, "\n"); n != 4 || !strings.Contains(got, `"route":"/api/chats/:id"`) {
		t.Errorf("%d lines, want 4:\n%s", n, fmt.Sprint(got))
	}
}
