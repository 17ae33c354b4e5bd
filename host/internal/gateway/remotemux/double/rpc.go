package double

import (
	"encoding/json"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// failure is a refusal.
type failure struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

func fail(code, message string, details ...any) *failure {
	f := &failure{Code: code, Message: message, Details: map[string]any{}}
	for i := 0; i+1 < len(details); i += 2 {
		f.Details[details[i].(string)] = details[i+1]
	}
	return f
}

func notFound(id string) *failure {
	return fail("session/not-found", "no such session", "sessionId", id)
}

// keys tells whether raw is an object with all of must, and else only of may.
func keys(raw json.RawMessage, must []string, may ...string) bool {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil || o == nil {
		return false
	}
	for _, k := range must {
		if _, ok := o[k]; !ok {
			return false
		}
	}
	for k := range maps.Keys(o) {
		if !slices.Contains(must, k) && !slices.Contains(may, k) {
			return false
		}
	}
	return true
}

// rpc answers one call (harness-wire.md §2).
func (s *Server) rpc(w http.ResponseWriter, r *http.Request, path string) {
	handle, known := methods[path]
	if s.Old && path == "session/projections" {
		known = false
	}
	if r.Method != http.MethodPost || !known && !streaming[path] {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	if t, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); t != "application/json" {
		http.Error(w, "content type must be application/json", http.StatusUnsupportedMediaType)
		return
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil || !json.Valid(raw) {
		http.Error(w, "body is not JSON", http.StatusBadRequest)
		return
	}
	var m struct {
		Type    string
		RPCID   *string
		Method  string
		Payload struct{ Args json.RawMessage }
	}
	shaped := json.Unmarshal(raw, &m) == nil && keys(raw, []string{"type", "rpcId", "method", "payload"}) &&
		m.RPCID != nil && m.Type == "client-request" && m.Method == path
	var o struct{ Payload json.RawMessage }
	_ = json.Unmarshal(raw, &o) // shaped says whether it is one
	id := "invalid-request"
	if m.RPCID != nil {
		id = *m.RPCID
	}
	var value any
	var failed *failure
	switch {
	case !shaped || !keys(o.Payload, []string{"args"}):
		failed = fail("gateway/bad-request", "malformed envelope")
	case !known:
		failed = fail("gateway/signature-invalid", "a stream", "endpoint", path)
	default:
		s.mu.Lock()
		s.calls = append(s.calls, path)
		s.mu.Unlock()
		a := &args{s: s, raw: m.Payload.Args, method: path}
		if value = handle(a); a.failed != nil {
			failed = a.failed
		}
	}
	result := map[string]any{"ok": failed == nil}
	switch {
	case failed != nil:
		result["error"] = failed
	case value != nil:
		result["value"] = value
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "server-response", "rpcId": id, "result": result}) // a client that went away
}

// args are a method's arguments, and why they are refused.
type args struct {
	s      *Server
	method string
	raw    json.RawMessage
	failed *failure
}

// flat reads arguments that stand by themselves. False: they were refused.
func (a *args) flat(out any, must string, may ...string) bool {
	if !keys(a.raw, strings.Fields(must), may...) || json.Unmarshal(a.raw, out) != nil {
		a.failed = fail("gateway/arguments-invalid", "args do not match", "endpoint", a.method)
		return false
	}
	return true
}

// request reads the argument request.
func (a *args) request(out any, must string, may ...string) bool {
	var o struct{ Request json.RawMessage }
	if !a.flat(&o, "request") {
		return false
	}
	if !keys(o.Request, strings.Fields(must), may...) || json.Unmarshal(o.Request, out) != nil {
		a.failed = fail("gateway/input-invalid", "request does not match", "endpoint", a.method, "field", "request")
		return false
	}
	return true
}

// live finds a session that is no helper and attaches it.
func (a *args) live(id string) *Session {
	s := a.s
	s.mu.Lock()
	defer s.mu.Unlock()
	se := s.sessions[id]
	switch {
	case se == nil:
		a.failed = notFound(id)
	case se.Parent != "":
		a.failed = fail("session/agent-busy", "owned by its parent", "reason", "subagent")
	default:
		s.attach(se)
		return se
	}
	return nil
}
