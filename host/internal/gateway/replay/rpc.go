package replay

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"

	"strata.dev/bridge/proto/dsh"
)

// clientMessage is a request or an answer, as much of both as is read here.
type clientMessage struct {
	Type    string  `json:"type"`
	RPCID   string  `json:"rpcId"`
	Method  string  `json:"method"`
	Payload payload `json:"payload"`
	Result  struct {
		OK    bool `json:"ok"`
		Value struct {
			SessionID  string `json:"sessionId"`
			ApprovalID string `json:"approvalId"`
			Outcome    string `json:"outcome"`
		} `json:"value"`
		Error failure `json:"error"`
	} `json:"result"`
}

// payload holds the fields of all the requests that are answered here.
type payload struct {
	SessionID string      `json:"sessionId"`
	CWD       string      `json:"cwd"`
	Preset    string      `json:"agentPreset"`
	Provider  string      `json:"provider"`
	Model     string      `json:"model"`
	Title     string      `json:"title"`
	Mode      string      `json:"mode"`
	Content   []dsh.Block `json:"content"`
	Before    *int64      `json:"beforeSeq"`
	Max       int         `json:"maxMessages"`
	Parent    string      `json:"parentSessionId"`
	Child     string      `json:"childSessionId"`
	Args      struct {
		Agent  string            `json:"agentId"`
		Line   string            `json:"line"`
		Images []json.RawMessage `json:"images"`
	} `json:"args"`
}

// failure is a refusal.
type failure struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

// ServeHTTP answers the RPC and both downlinks.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.secret != "" && r.Header.Get("Authorization") != "Bearer "+s.secret {
		http.Error(w, "unauthorized", http.StatusUnauthorized)
		return
	}
	if s.Intercept != nil && s.Intercept(w, r) {
		return
	}
	if r.URL.Path == muxPath || r.URL.Path == hostPath {
		s.downlink(w, r)
		return
	}
	method, ok := strings.CutPrefix(r.URL.Path, "/api/")
	if !ok || r.Method != http.MethodPost {
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
	var m clientMessage
	_ = json.Unmarshal(raw, &m) // fields of a wrong type are refused by each method
	if method == "respond" {
		writeJSON(w, s.respond(m))
		return
	}
	handle, ok := methods[method]
	if !ok {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	value, failed := handle(s, m)
	if m.Method != method {
		failed = &failure{Code: "bad-request", Message: "method does not match path"}
	}
	result := map[string]any{"ok": failed == nil}
	switch {
	case failed != nil:
		if failed.Details == nil {
			failed.Details = map[string]any{}
		}
		result["error"] = failed
	case value != nil:
		result["value"] = value
	}
	writeJSON(w, map[string]any{"type": "server-response", "rpcId": m.RPCID, "result": result})
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // a client that went away
}

// live finds a session and attaches it; the error is the Harness's.
func (s *Server) live(id string) (*Session, *failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	se := s.sessions[id]
	if se == nil {
		return nil, notFound(id)
	}
	if se.Parent != "" {
		return nil, &failure{Code: "agent-busy", Message: "owned by subagent routing"}
	}
	if !se.attached {
		s.attach(se)
		se.resumed = true
		s.log(se, dsh.Event{Type: "session/end-seed", Data: encode(struct{}{})})
	}
	return se, nil
}

func notFound(id string) *failure {
	return &failure{Code: "session-not-found", Message: `session "` + id + `" not found`, Details: map[string]any{"sessionId": id}}
}
