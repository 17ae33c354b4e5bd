// Package transcript keeps what a conversation looked like in a txtar file and
// compares runs with it. What differs from run to run (ids, times, ports, paths)
// is replaced by stable names: the first session is session-1 wherever it shows.
package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Normaliser replaces what differs from run to run. One Normaliser is used for
// everything that belongs together. The zero value is ready.
type Normaliser struct {
	texts  []pair            // told by Name, longest first
	names  map[string]string // id to its stable name
	counts map[string]int    // stable names by kind
}

type pair struct{ text, name string }

// idKeys are the JSON keys whose values are ids, and what those are called.
var idKeys = map[string]string{
	"run": "run", "chatId": "chat", "sessionId": "session", "parentSessionId": "session", "childSessionId": "session",
	"senderSessionId": "session", "agentId": "session", "requestId": "request", "callId": "call", "toolCallId": "call",
	"rpcId": "rpc", "approvalId": "approval", "commandId": "command", "compactionId": "compaction", "messageId": "message",
	"digest": "digest", "sha256": "digest",
}

// zeroKeys are the JSON keys whose numbers are times or hang on the lengths of
// paths; they become 0.
var zeroKeys = map[string]bool{
	"time": true, "updatedAt": true, "startedAt": true, "createdAt": true, "created": true, "durationMs": true,
	"tokens": true, "percent": true, "promptTokens": true, "cachedTokens": true, "prompt_tokens": true, "total_tokens": true,
	"completionTokens": true, "completion_tokens": true,
}

// patterns find what shows in plain text. Those with a kind are numbered; the
// others have one name.
var patterns = []struct {
	re   *regexp.Regexp
	kind string // numbered
	name string
}{
	{re: regexp.MustCompile(`\bsession-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), kind: "session"},
	{re: regexp.MustCompile(`\bcall_[0-9a-f]{10}_[0-9]+\b`), kind: "call"},
	{re: regexp.MustCompile(`\bcmd-[0-9a-f]{8}-[0-9]+\b`), kind: "command"},
	{re: regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), kind: "uuid"},
	{re: regexp.MustCompile(`\b[0-9a-f]{64}\b`), kind: "digest"},
	{re: regexp.MustCompile(`\b(127\.0\.0\.1|localhost|\[::1\]):[0-9]{2,5}\b`), name: "${1}:PORT"},
	{re: regexp.MustCompile(`\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})`), name: "TIME"},
	{re: regexp.MustCompile(`\b[0-9]+(\.[0-9]+)? ?(ms|s|seconds)\b`), name: "DURATION"},
	{re: regexp.MustCompile(`\b1[6-9][0-9]{11}\b`), name: "TIME"}, // Unix milliseconds of 2020 to 2033
}

// Name has a text, such as a folder's path, always shown as name.
func (n *Normaliser) Name(text, name string) {
	if text == "" {
		return
	}
	n.texts = append(n.texts, pair{text, name})
	slices.SortStableFunc(n.texts, func(a, b pair) int { return len(b.text) - len(a.text) })
}

// ID gives an id's stable name, a new one for an id not seen before.
func (n *Normaliser) ID(kind, id string) string {
	if name, ok := n.names[id]; ok {
		return name
	}
	if n.names == nil {
		n.names, n.counts = map[string]string{}, map[string]int{}
	}
	n.counts[kind]++
	name := fmt.Sprintf("%s-%d", kind, n.counts[kind])
	n.names[id] = name
	return name
}

// Text normalises plain text.
func (n *Normaliser) Text(text string) string {
	for _, p := range n.texts {
		text = strings.ReplaceAll(text, p.text, p.name)
	}
	text = n.known(text)
	for _, p := range patterns {
		text = p.re.ReplaceAllStringFunc(text, func(m string) string {
			if p.kind != "" {
				return n.ID(p.kind, m)
			}
			return p.re.ReplaceAllString(m, p.name)
		})
	}
	return text
}

// known replaces ids that were met under a key and show in text too, longest
// first. Short ones are left alone: they may be words.
func (n *Normaliser) known(text string) string {
	const short = 6
	var ids []string
	for id := range n.names {
		if len(id) >= short && strings.Contains(text, id) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return len(b) - len(a) })
	for _, id := range ids {
		text = strings.ReplaceAll(text, id, n.names[id])
	}
	return text
}

// JSON normalises a JSON value and gives it in one line with sorted keys.
func (n *Normaliser) JSON(data []byte) (string, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return "", fmt.Errorf("normalising JSON: %w", err)
	}
	n.learn(v)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(n.value("", v)); err != nil {
		return "", fmt.Errorf("normalising JSON: %w", err)
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// learn names the ids under their keys first, so that one which shows in a text
// before has its own kind of name there.
func (n *Normaliser) learn(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range sortedKeys(v) {
			if id, ok := v[key].(string); ok && idKeys[key] != "" && id != "" {
				n.ID(idKeys[key], id)
			}
			n.learn(v[key])
		}
	case []any:
		for _, e := range v {
			n.learn(e)
		}
	}
}

func (n *Normaliser) value(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			out[k] = n.value(k, e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = n.value(key, e)
		}
		return out
	case string:
		if name, ok := n.names[v]; ok && idKeys[key] != "" {
			return name
		}
		return n.Text(v)
	case json.Number:
		if zeroKeys[key] {
			return json.Number("0")
		}
		return v
	}
	return v
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
