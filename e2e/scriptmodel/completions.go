package scriptmodel

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// maxBody is the largest request that is read, in bytes: the Harness's own limit
// is of the same size.
const maxBody = 300 << 20

func (m *Model) completions(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, refusal(http.StatusRequestEntityTooLarge, "cannot read the request: "+err.Error()))
		return
	}
	rec := &Request{Header: r.Header.Clone(), Body: body, Step: -1}
	if !json.Valid(body) {
		rec.Body = quoteBody(body)
	}
	bad := json.Unmarshal(body, &rec.Chat)
	c := Read(rec.Chat.Messages)
	answer := reply{step: -1, err: bad}
	if bad == nil && len(rec.Chat.Messages) > 0 {
		answer = think(rec.Chat, c)
	}
	if c.Kind == Compaction && m.config.Summaries != nil {
		if actions := m.config.Summaries(rec.Chat); actions != nil {
			answer = plain(actions...)
		}
	}
	rec.Kind, rec.Person, rec.Step = c.Kind, c.Person, answer.step
	size := m.size(rec.Chat.Model)
	rec.Tokens, rec.Window = size.count(body), size.Window
	m.log.add(rec)

	var out sink = &jsonSink{w: w, chat: rec.Chat, id: hash(body)}
	if rec.Chat.Stream {
		out = &sseSink{w: w, chat: rec.Chat, id: hash(body)}
	}
	p := &player{model: m, rec: rec, sink: out, key: answer.key, size: size}
	defer func() {
		m.log.update(func() { rec.Ended, rec.Held, rec.Left = true, "", r.Context().Err() != nil })
	}()
	reply := 0
	if size.Strict {
		reply = max(rec.Chat.MaxTokens, rec.Chat.MaxCompletionTokens)
	}
	switch tokens := rec.Tokens; {
	case !m.authorised(r):
		p.refuse(http.StatusUnauthorized, refusal(http.StatusUnauthorized, ""))
	case bad != nil:
		p.refuse(http.StatusBadRequest, refusal(http.StatusBadRequest, "the body is no chat request: "+bad.Error()))
	case len(rec.Chat.Messages) == 0:
		p.refuse(http.StatusBadRequest, refusal(http.StatusBadRequest, "there are no messages"))
	case size.RefuseStatus == http.StatusRequestEntityTooLarge && tokens+reply > size.Window:
		p.refuse(size.RefuseStatus, refusal(size.RefuseStatus, ""))
	case size.RefuseStatus != 0 && tokens+reply > size.Window:
		p.refuse(size.RefuseStatus, overflow(size, tokens, reply))
	case answer.err != nil:
		p.refuse(http.StatusBadRequest, refusal(http.StatusBadRequest, answer.err.Error()))
	default:
		p.play(r.Context(), answer.actions)
	}
}

func (m *Model) models(w http.ResponseWriter, r *http.Request) {
	if !m.authorised(r) {
		refuse(w, http.StatusUnauthorized, refusal(http.StatusUnauthorized, ""))
		return
	}
	type row struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int    `json:"created"`
		OwnedBy string `json:"owned_by"`
	}
	rows := []row{}
	for _, id := range m.config.Models {
		rows = append(rows, row{id, "model", created, "strata"})
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": rows})
}

func (m *Model) authorised(r *http.Request) bool {
	return m.config.Key == "" || r.Header.Get("Authorization") == "Bearer "+m.config.Key
}

// hash names a request by what it asks, so that equal requests get equal ids.
func hash(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:5])
}

func quoteBody(body []byte) json.RawMessage {
	text, _ := json.Marshal(strings.ToValidUTF8(string(body), "\uFFFD"))
	return text
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may have left
}

func refuse(w http.ResponseWriter, status int, e apiError) { writeJSON(w, status, e) }
