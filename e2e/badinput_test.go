package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// Whatever is sent wrongly gets a status, a code and a sentence, and a chat that
// waits meanwhile loses nothing.
func TestBadInput(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	w := newWorld(ctx, t, kit.HostOptions{})
	c := w.NewChat()
	run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Write(w.path("kept.txt"), "x"), scriptmodel.Say("kept")))
	proposed := card(ctx, t, run, "write", chat.ToolProposed)

	message := func(text string) string {
		body, err := json.Marshal(chat.StreamRequest{ChatID: "bad", Text: text, RequestID: "bad-1"})
		must(t, err)
		return string(body)
	}
	answer := fmt.Sprintf(`{"sessionId":%q,"toolId":%q,"decision":"approve"}`, c.ID, proposed.ID)
	for name, bad := range map[string]struct {
		method, path, body string
		header             map[string]string // "" takes a header away
		status             int
		code               chat.Code
	}{
		"unknown chat":            {"GET", "/api/chats/nobody", "", nil, 404, chat.CodeUnknownChat},
		"attach to unknown chat":  {"GET", "/api/chat/stream?chatId=nobody&run=r&after=0", "", nil, 404, chat.CodeUnknownChat},
		"attach without a chat":   {"GET", "/api/chat/stream", "", nil, 400, chat.CodeBadRequest},
		"attach, after no number": {"GET", "/api/chat/stream?chatId=" + c.ID + "&run=r&after=x", "", nil, 400, chat.CodeBadRequest},
		"unknown tool id":         {"POST", "/api/chat/approval", `{"sessionId":"` + c.ID + `","toolId":"nothing","decision":"approve"}`, nil, 404, chat.CodeUnknownTool},
		"unknown decision":        {"POST", "/api/chat/approval", strings.Replace(answer, "approve", "perhaps", 1), nil, 400, chat.CodeBadRequest},
		"unknown session":         {"POST", "/api/chat/approval", `{"sessionId":"nobody","toolId":"t","decision":"deny"}`, nil, 404, chat.CodeUnknownSession},
		"stop of nobody":          {"POST", "/api/chat/stop", `{"sessionId":"nobody"}`, nil, 404, chat.CodeUnknownSession},
		"stop of nothing":         {"POST", "/api/chat/stop", `{}`, nil, 400, chat.CodeBadRequest},
		"10 MB message":           {"POST", "/api/chat/stream", message(strings.Repeat("x", 10<<20)), nil, 413, chat.CodeTooLarge},
		"invalid JSON":            {"POST", "/api/chat/stream", `{"chatId":"bad",`, nil, 400, chat.CodeBadRequest},
		"no JSON at all":          {"POST", "/api/chat/approval", "yes please", nil, 400, chat.CodeBadRequest},
		"two values":              {"POST", "/api/chat/approval", answer + answer, nil, 400, chat.CodeBadRequest},
		"no body":                 {"POST", "/api/chat/stream", "", nil, 400, chat.CodeBadRequest},
		"a number for a text":     {"POST", "/api/chat/stream", `{"chatId":1,"text":"x","requestId":"r"}`, nil, 400, chat.CodeBadRequest},
		"nothing to say":          {"POST", "/api/chat/stream", message(""), nil, 400, chat.CodeBadRequest},
		"no request id":           {"POST", "/api/chat/stream", `{"chatId":"bad","text":"x"}`, nil, 400, chat.CodeBadRequest},
		"a relative folder":       {"POST", "/api/chat/stream", `{"chatId":"bad","text":"x","requestId":"r","cwd":"here"}`, nil, 400, chat.CodeBadRequest},
		"another media type":      {"POST", "/api/chat/approval", answer, map[string]string{"Content-Type": "text/plain"}, 415, chat.CodeMediaType},
		"no token":                {"POST", "/api/chat/approval", answer, map[string]string{"Authorization": ""}, 401, chat.CodeUnauthorized},
		"wrong token":             {"POST", "/api/chat/approval", answer, map[string]string{"Authorization": "Bearer " + strings.Repeat("0", len(w.Token))}, 401, chat.CodeUnauthorized},
		"token in the query":      {"GET", "/api/chats?token=" + w.Token, "", map[string]string{"Authorization": ""}, 401, chat.CodeUnauthorized},
		"foreign Host":            {"POST", "/api/chat/approval", answer, map[string]string{"Host": "evil.example:80"}, 403, chat.CodeForbidden},
		"foreign Origin":          {"POST", "/api/chat/approval", answer, map[string]string{"Origin": "https://evil.example"}, 403, chat.CodeForbidden},
		"Origin of another port":  {"POST", "/api/chat/approval", answer, map[string]string{"Origin": "http://127.0.0.1:1"}, 403, chat.CodeForbidden},
		"null Origin":             {"POST", "/api/chat/approval", answer, map[string]string{"Origin": "null"}, 403, chat.CodeForbidden},
		"foreign page, no token":  {"GET", "/", "", map[string]string{"Host": "evil.example", "Authorization": ""}, 403, chat.CodeForbidden},
		"no such route":           {"GET", "/api/no/such", "", nil, 404, chat.CodeNotFound},
		"wrong method":            {"DELETE", "/api/chat/approval", "", nil, 405, chat.CodeMethod},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := raw(ctx, t, w, bad.method, bad.path, bad.body, bad.header)
			var refusal chat.ErrorBody
			if err := json.Unmarshal(body, &refusal); err != nil {
				t.Fatalf("%d and no typed error: %v in %.300s", status, err, body)
			}
			refusedWith(t, &kit.Refused{Status: status, Why: refusal.Error}, bad.status, bad.code)
			if strings.Contains(string(body), w.Token) {
				t.Errorf("the refusal holds the token: %s", body)
			}
		})
	}

	// Nothing was lost, and nothing was answered.
	if w.exists(t, "kept.txt") {
		t.Error("a refused request approved the write")
	}
	must(t, c.Approve(ctx, proposed))
	if got := kit.Text(ended(ctx, t, run)); got != "kept" || !w.exists(t, "kept.txt") {
		t.Errorf("the waiting chat says %q", got)
	}
	// An answer that names no digest is a good one: bare {sessionId, toolId, decision}.
	run = send(ctx, t, c, scriptmodel.Steps(scriptmodel.Write(w.path("bare.txt"), "x"), scriptmodel.Say("bare")))
	bare := card(ctx, t, run, "write", chat.ToolProposed)
	if status, body := raw(ctx, t, w, "POST", "/api/chat/approval", fmt.Sprintf(`{"sessionId":%q,"toolId":%q,"decision":"approve"}`, c.ID, bare.ID), nil); status != 200 {
		t.Errorf("a bare answer: %d %s", status, body)
	}
	ended(ctx, t, run)
	if !w.exists(t, "bare.txt") {
		t.Error("a bare answer did not approve")
	}
}

// raw sends a request as it is and gives status and body.
func raw(ctx context.Context, t *testing.T, w *world, method, path, body string, header map[string]string) (int, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, w.URL+path, bytes.NewBufferString(body))
	must(t, err)
	if method != http.MethodGet {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Authorization", "Bearer "+w.Token)
	for name, value := range header {
		if name == "Host" {
			req.Host = value
		} else if req.Header.Del(name); value != "" {
			req.Header.Set(name, value)
		}
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	must(t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	must(t, err)
	return resp.StatusCode, data
}
