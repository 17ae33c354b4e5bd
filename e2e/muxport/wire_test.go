package muxport_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/muxport"
	"strata.dev/bridge/e2e/scriptmodel"
)

// TestPort drives one process of each shape as harness-wire.md describes it.
func TestPort(t *testing.T) {
	for shape, cases := range map[string]map[string]func(context.Context, *testing.T, *port){
		muxport.Shape02: {
			"login": login, "statuses": statuses, "refusals": refusals, "sockets": sockets, "frames": misuse,
			"items from the client": uplink, "a turn": turn, "a prompt once": once, "approvals": approvals,
			"an approval nobody takes": nobody, "both wires at once": bothWires, "control": controlNew,
			"commands": commands, "goals": goals,
		},
		muxport.Shape015: {
			"login": login, "refusals of 0.1.5": refusalsOld, "no items from the client": noUplink, "control": controlOld,
			"a dead client": deadClient, "a turn": turn, "an approval all decline": declined,
		},
	} {
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			ctx := kit.Context(t)
			o := muxport.Options{Shape: shape}
			if shape == muxport.Shape015 {
				o.HeartbeatMs = 100
			}
			p := start(ctx, t, o)
			t.Run("cases", func(t *testing.T) {
				for name, run := range cases {
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						run(ctx, t, p)
					})
				}
			})
		})
	}
}

func login(ctx context.Context, t *testing.T, p *port) {
	for path, want := range map[string]string{
		"/?token=" + p.token: "303",
		"/?token=wrong":      "401",
		"/":                  "401",
		"/?token=" + p.token + "&token=" + p.token:  "401",
		"/other?token=" + p.token:                   "404",
		"/?token=" + strings.ToUpper(p.token) + "_": "401",
	} {
		if res := p.get(ctx, t, path); !strings.HasPrefix(res.Status, want) {
			t.Errorf("GET %s: %s, want %s", strings.ReplaceAll(path, p.token, "TOKEN"), res.Status, want)
		}
	}
	res := p.get(ctx, t, "/?token="+p.token)
	cookies := res.Cookies()
	if len(cookies) != 1 {
		t.Fatalf("cookies: %v", cookies)
	}
	c := cookies[0]
	got := fmt.Sprintln(res.Header.Get("Cache-Control"), res.Header.Get("Referrer-Policy"), c.Path, c.MaxAge, c.HttpOnly, c.Secure, c.SameSite)
	want := fmt.Sprintln("no-store", "no-referrer", "/", 30*24*60*60, true, false, http.SameSiteStrictMode)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the login (-want +got):\n%s", diff)
	}
}

func statuses(ctx context.Context, t *testing.T, p *port) {
	const method = "llm/listProviders"
	body := `{"type":"client-request","rpcId":"r9","method":"` + method + `","payload":{"args":{}}}`
	for name, c := range map[string]struct {
		path, body string
		header     http.Header
		want       string
	}{
		"good":                 {"/api/" + method, body, p.in(), "200"},
		"with charset":         {"/api/" + method, body, p.in("Content-Type", "application/json; charset=utf-8"), "200"},
		"own origin":           {"/api/" + method, body, p.in("Origin", "http://"+p.host), "200"},
		"no cookie":            {"/api/" + method, body, p.in("Cookie", ""), "401"},
		"bad cookie":           {"/api/" + method, body, p.in("Cookie", p.cookie+"x"), "401"},
		"bearer is no cookie":  {"/api/" + method, body, p.in("Cookie", "", "Authorization", "Bearer "+p.token), "401"},
		"foreign host":         {"/api/" + method, body, p.in("Host", "example.invalid"), "403"},
		"foreign origin":       {"/api/" + method, body, p.in("Origin", "http://example.invalid"), "403"},
		"other port's origin":  {"/api/" + method, body, p.in("Origin", "http://127.0.0.1:1"), "403"},
		"null origin":          {"/api/" + method, body, p.in("Origin", "null"), "403"},
		"cross site":           {"/api/" + method, body, p.in("Sec-Fetch-Site", "cross-site"), "403"},
		"host before cookie":   {"/api/" + method, body, p.in("Host", "example.invalid", "Cookie", ""), "403"},
		"other name of itself": {"/api/" + method, body, p.in("Host", "localhost"+p.host[strings.LastIndex(p.host, ":"):]), "401"},
		"unknown method":       {"/api/llm/nothing", body, p.in(), "404"},
		"older method":         {"/api/host.describe", body, p.in(), "404"},
		"media type":           {"/api/" + method, body, p.in("Content-Type", "text/plain"), "415"},
		"no JSON":              {"/api/" + method, "{", p.in(), "400"},
		"other method in body": {"/api/settings/describe", body, p.in(), `200 "r9" gateway/bad-request`},
		"spare key":            {"/api/" + method, strings.Replace(body, "{", `{"spare":1,`, 1), p.in(), `200 "r9" gateway/bad-request`},
		"no id":                {"/api/" + method, strings.Replace(body, `"rpcId":"r9",`, "", 1), p.in(), `200 "invalid-request" gateway/bad-request`},
	} {
		status, text := p.post(ctx, t, c.path, c.body, c.header)
		want, rest, _ := strings.Cut(c.want, " ")
		if fmt.Sprint(status) != want {
			t.Errorf("%s: %d %s, want %s", name, status, text, want)
		}
		for _, part := range strings.Fields(rest) {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %s, want %s in it", name, text, part)
			}
		}
	}
}

// refused checks the code of each refused call.
func refused(ctx context.Context, t *testing.T, p *port, calls map[string]m) {
	t.Helper()
	for call, args := range calls {
		method, code, _ := strings.Cut(call, " ")
		code, _, _ = strings.Cut(code, " ")
		var r *refusal
		if err := p.call(ctx, t, method, args, nil); !errors.As(err, &r) || r.Code != code || r.Details == nil {
			t.Errorf("%s %v: got %v, want %s", method, args, err, code)
		}
	}
}

func refusals(ctx context.Context, t *testing.T, p *port) {
	id := p.session(ctx, t)
	none := m{"sessionId": "none"}
	refused(ctx, t, p, map[string]m{
		"session/list gateway/arguments-invalid":            {"request": m{}},
		"session/list gateway/input-invalid":                {"_request": m{"spare": 1}},
		"session/follow gateway/signature-invalid":          {},
		"session/create gateway/bad-request":                {"request": m{"cwd": "/w", "workspaceId": "w"}},
		"session/create session/conflict":                   {"request": m{"cwd": "/other", "sessionId": id}},
		"session/cancel session/not-found":                  {"request": none},
		"session/rename session/not-found":                  {"request": m{"sessionId": "none", "title": "t"}},
		"session/rename session/title-invalid":              {"request": m{"sessionId": id, "title": " "}},
		"session/fork session/fork-unavailable":             {"request": m{"sessionId": id}},
		"session/selectModel session/model-unavailable":     {"request": m{"sessionId": id, "provider": "none", "model": "none"}},
		"session/updateQueue session/queue-item-not-found":  {"request": m{"sessionId": id, "itemId": "none", "action": m{"kind": "remove"}}},
		"session/attachment session/attachment-invalid":     {"request": m{"sessionId": id, "attachmentId": "none"}},
		"session/page gateway/bad-request":                  {"request": m{"address": m{"kind": "session", "sessionId": id}, "throughSeq": 99_999}},
		"session/page session/not-found":                    {"request": m{"address": m{"kind": "session", "sessionId": "none"}, "throughSeq": -1}},
		"session/page subagent/not-found":                   {"request": m{"address": m{"kind": "subagent", "parentSessionId": id, "childSessionId": "none", "mode": "unknown"}, "throughSeq": -1}},
		"session/prompt gateway/bad-request blank":          {"request": m{"requestId": "x", "sessionId": id, "mode": "queue", "content": []m{{"type": "text", "text": " "}}}},
		"session/prompt session/invalid-time-zone":          {"request": m{"requestId": "x", "sessionId": id, "mode": "queue", "content": []m{{"type": "text", "text": "hi"}}, "clientTimeZone": "Mars"}},
		"session/prompt session/attachment-invalid":         {"request": m{"requestId": "x", "sessionId": id, "mode": "queue", "content": []m{{"type": "file", "receiptId": "none"}}}},
		"commands/execute gateway/lookup-not-found":         {"agentId": "none", "line": "/x", "submittedAttachments": []any{}},
		"commands/execute gateway/arguments-invalid":        {"agentId": id, "line": "/x", "images": []any{}},
		"goals/pause gateway/internal":                      {"agentId": id, "ref": m{"id": "none", "revision": 1}},
		"subagents/prompt subagent/parent-unavailable":      {"request": m{"requestId": "x", "parentSessionId": "none", "childSessionId": "none", "mode": "continuable", "delivery": "queue", "content": []m{{"type": "text", "text": "hi"}}}},
		"subagents/interruptByParent gateway/input-invalid": {"childSessionId": "none", "parentSessionId": id, "mode": "one-shot"},
		"$events/result gateway/internal":                   {"clientId": "none", "eventId": "none", "outcome": m{"kind": "next"}},
		"$events/result gateway/internal shape":             {"clientId": "none", "eventId": "none", "outcome": m{"kind": "next", "value": 1}},
		"settings/update settings/rejected":                 {"ns": "none", "patch": m{}},
		"workspace/archiveSession session/not-found":        {"request": none},
		"workspace/create workspace/invalid-path":           {"request": m{"path": "/none/such"}},
	})
}

func refusalsOld(ctx context.Context, t *testing.T, p *port) {
	id := p.session(ctx, t)
	body := `{"type":"client-request","rpcId":"r","method":"session/projections","payload":{"args":{}}}`
	if status, _ := p.post(ctx, t, "/api/session/projections", body, p.in()); status != http.StatusNotFound {
		t.Errorf("session/projections: %d, want 404", status)
	}
	address := m{"kind": "session", "sessionId": id}
	refused(ctx, t, p, map[string]m{
		"session/page gateway/input-invalid window": {"request": m{"address": address, "throughSeq": -1, "turnWindow": m{"minMessages": 1, "minTurns": 1}}},
		"session/page gateway/input-invalid mode":   {"request": m{"address": m{"kind": "subagent", "parentSessionId": id, "childSessionId": "x", "mode": "unknown"}, "throughSeq": -1}},
	})
}

func sockets(ctx context.Context, t *testing.T, p *port) {
	for name, c := range map[string]struct {
		path   string
		header http.Header
		want   string
	}{
		"no cookie":    {"/api/remote.mux", p.in("Cookie", ""), "401 Unauthorized, Connection close"},
		"origin":       {"/api/remote.mux", p.in("Origin", "http://example.invalid"), "403 Forbidden, Connection close"},
		"another path": {"/api/events.mux", p.in(), io.EOF.Error()},
	} {
		if _, err := dial(ctx, t, p.host, c.path, c.header, false); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// closes checks the code that the socket is closed with after what is sent.
func closes(ctx context.Context, t *testing.T, p *port, want closed, send func(*socket)) {
	t.Helper()
	s := p.mux(ctx, t)
	send(s)
	for {
		_, err := s.read()
		var code closed
		switch {
		case errors.As(err, &code):
			if code != want {
				t.Errorf("closed with %d, want %d", code, want)
			}
			return
		case err != nil:
			t.Errorf("%v, want a close with %d", err, want)
			return
		}
	}
}

func misuse(ctx context.Context, t *testing.T, p *port) {
	for _, message := range []string{
		`no JSON`, `[]`, `{"type":"shut"}`, `{"type":"open","streamId":"","endpoint":"$events","payload":{"args":{}}}`,
		`{"type":"open","streamId":"a","endpoint":"$events","payload":{"args":{}},"spare":1}`,
		`{"type":"open","streamId":"a","endpoint":"$events"}`, `{"type":"cancel"}`, `{"type":"toString"}`,
	} {
		closes(ctx, t, p, 1008, func(s *socket) {
			if err := s.write(opText, []byte(message)); err != nil {
				t.Error(err)
			}
		})
	}
	closes(ctx, t, p, 1003, func(s *socket) {
		if err := s.write(opBinary, []byte("{}")); err != nil {
			t.Error(err)
		}
	})
	closes(ctx, t, p, 1008, func(s *socket) {
		s.open(t, "a", "$events", m{})
		s.open(t, "a", "session/control", m{})
	})

	s := p.mux(ctx, t)
	for endpoint, c := range map[string]struct {
		args m
		code string
	}{
		"session/list":   {m{"_request": m{}}, "gateway/signature-invalid"},
		"session/none":   {m{}, "gateway/invocation-unavailable"},
		"$events":        {m{"spare": 1}, "gateway/arguments-invalid"},
		"session/follow": {m{"request": m{"address": m{"kind": "session", "sessionId": "none"}}}, "session/not-found"},
	} {
		s.open(t, endpoint, endpoint, c.args)
		if f := s.next(t, endpoint); f.Type != "error" || f.Error == nil || f.Error.Code != c.code {
			t.Errorf("opening %s: %+v, want %s", endpoint, f, c.code)
		}
	}
	// What is around the arguments is the stream's own affair.
	for endpoint, code := range map[string]string{"$events": "gateway/arguments-invalid", "session/control": "gateway/internal"} {
		s.send(t, m{"type": "open", "streamId": endpoint, "endpoint": endpoint, "payload": m{"args": m{}, "spare": 1}})
		if f := s.next(t, endpoint); f.Type != "error" || f.Error == nil || f.Error.Code != code {
			t.Errorf("opening %s with a spare key: %+v, want %s", endpoint, f, code)
		}
	}
	// An id that nobody has is passed over; one that ended may be used again; what
	// is cancelled says nothing more.
	s.send(t, m{"type": "cancel", "streamId": "nobody's"})
	s.open(t, "$events", "$events", m{})
	s.listened(t, "$events")
	s.send(t, m{"type": "cancel", "streamId": "$events"})
	s.open(t, "b", "$events", m{})
	s.listened(t, "b")
}

func uplink(ctx context.Context, t *testing.T, p *port) {
	s := p.mux(ctx, t)
	s.send(t, m{"type": "item", "streamId": "nobody's", "value": 1})
	s.open(t, "a", "session/control", m{})
	s.send(t, m{"type": "item", "streamId": "a", "value": strings.Repeat("x", 300_000)})
	s.open(t, "b", "session/control", m{})
	s.send(t, m{"type": "end", "streamId": "b"})
	s.send(t, m{"type": "item", "streamId": "b"})
	want := map[string]string{"a": "gateway/uplink-overflow", "b": "gateway/protocol"}
	got := map[string]string{}
	for len(got) < len(want) {
		data, err := s.read()
		if err != nil {
			t.Fatalf("%v after %v", err, got)
		}
		var f frame
		if err := json.Unmarshal(data, &f); err != nil {
			t.Fatal(err)
		}
		if f.Type == "error" {
			got[f.StreamID] = f.Error.Code
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func noUplink(ctx context.Context, t *testing.T, p *port) {
	closes(ctx, t, p, 1008, func(s *socket) { s.send(t, m{"type": "item", "streamId": "a", "value": 1}) })
	closes(ctx, t, p, 1008, func(s *socket) { s.send(t, m{"type": "end", "streamId": "a"}) })
}

// deadClient leaves pings unanswered, which ends it; the other cases' sockets,
// which answer, live on beside it.
func deadClient(ctx context.Context, t *testing.T, p *port) {
	s, err := dial(ctx, t, p.host, "/api/remote.mux", p.in(), true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.read(); !errors.Is(err, io.EOF) {
		t.Errorf("%v, want a dropped connection", err)
	}
}

func controlNew(ctx context.Context, t *testing.T, p *port) {
	id := p.session(ctx, t)
	s := p.mux(ctx, t)
	s.open(t, "c", "session/control", m{})
	type snapshot struct {
		AsOfSeq int64
		Values  map[string]any
	}
	base := item[struct {
		Type  string
		Value map[string]map[string]snapshot
	}](t, s, "c")
	if base.Type != "baseline" || len(base.Value) != 1 || base.Value["projections"][id].Values["inbox"] == nil {
		t.Errorf("the baseline: %+v", base)
	}
	if diff := cmp.Diff(map[string]any{"currentValue": "workspace-write"}, base.Value["projections"][id].Values["permissions"]); diff != "" {
		t.Errorf("permissions (-want +got):\n%s", diff)
	}
	p.prompt(ctx, t, id, "control-1", scriptmodel.Steps(scriptmodel.Say("hi")))
	seen := map[string]bool{}
	for !seen["inbox"] || !seen["title"] || !seen["contextPressure"] {
		f := item[struct {
			Type, SessionID, Key string
			Seq                  *int64
		}](t, s, "c")
		if f.Type != "projection" || f.Seq == nil {
			t.Fatalf("after the baseline: %+v", f)
		}
		if f.SessionID == id {
			seen[f.Key] = true
		}
	}
}

func controlOld(ctx context.Context, t *testing.T, p *port) {
	id := p.session(ctx, t)
	s := p.mux(ctx, t)
	s.open(t, "c", "session/control", m{})
	base := item[struct {
		Type  string
		Value map[string]map[string]any
	}](t, s, "c")
	got := map[string]any{"type": base.Type, "queue": base.Value["queues"][id], "jobs": base.Value["jobs"][id], "maps": len(base.Value)}
	if diff := cmp.Diff(map[string]any{"type": "baseline", "queue": []any{}, "jobs": []any{}, "maps": 3}, got); diff != "" {
		t.Errorf("the baseline (-want +got):\n%s", diff)
	}
	values := base.Value["projections"][id].(map[string]any)["values"].(map[string]any)
	if values["permissions"].(map[string]any)["options"] == nil || values["inbox"] != nil {
		t.Errorf("the projections: %v", values)
	}
	text := scriptmodel.Steps(scriptmodel.Say("hi"))
	p.prompt(ctx, t, id, "control-1", text)
	for {
		f := item[struct {
			Type, SessionID string
			Items           []struct {
				ID, Placement, RPCID string
				Message              struct {
					ID      string
					Content []struct{ Type, Text string }
				}
			}
		}](t, s, "c")
		if f.Type != "queue" || f.SessionID != id || len(f.Items) == 0 {
			continue
		}
		q := f.Items[0]
		if q.ID != q.Message.ID || q.Placement != "queued" || q.RPCID != "control-1" || len(q.Message.Content) != 1 || q.Message.Content[0].Text != text {
			t.Errorf("the queue: %+v", f)
		}
		return
	}
}
