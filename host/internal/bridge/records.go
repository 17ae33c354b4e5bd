package bridge

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/proto/chat"
)

// recordsFile holds the chats, in the agent's data folder.
const recordsFile = "sessions.json"

// recordsVersion is that of the file's shape.
const recordsVersion = 1

// maxRequests is how many of a chat's newest request ids are remembered on disk.
const maxRequests = 64

// record is what is known of a chat besides its session's log.
type record struct {
	ChatID    string   `json:"chatId"`
	SessionID string   `json:"sessionId"`
	Title     string   `json:"title,omitempty"`
	Named     bool     `json:"named,omitempty"` // by the person; the Harness's title no longer counts
	CWD       string   `json:"cwd"`
	Archived  bool     `json:"archived,omitempty"`
	Created   int64    `json:"createdAt"` // Unix milliseconds
	Updated   int64    `json:"updatedAt"`
	Direct    bool     `json:"direct,omitempty"`   // it began without the Harness and has no session
	Unseen    bool     `json:"unseen,omitempty"`   // its session lacks what was answered without it
	Unbegun   bool     `json:"unbegun,omitempty"`  // only the host has answered in it, to commands: it has no session yet
	Requests  []string `json:"requests,omitempty"` // newest last: those that may have reached the Harness
}

// records maps chats to sessions. A change is on disk when its call returns.
type records struct {
	path string

	mu    sync.Mutex
	chats map[string]record
}

// openRecords reads the file in dir. A file that breaks off gives what stands
// before; it is kept beside the new one. One of a newer version is an error.
func openRecords(dir string) (*records, error) {
	r := &records{path: filepath.Join(dir, recordsFile), chats: map[string]record{}}
	raw, err := os.ReadFile(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the chats: %w", err)
	}
	chats, err := parseRecords(raw)
	if errors.Is(err, ErrNewer) {
		return nil, fmt.Errorf("reading %s: %w", r.path, err)
	}
	if err != nil {
		if err := store.WriteFile(r.path+".broken", raw); err != nil {
			return nil, fmt.Errorf("keeping the broken list of chats: %w", err)
		}
	}
	for _, c := range chats {
		r.chats[c.ChatID] = c
	}
	return r, nil
}

// ErrNewer says that a list of chats has a shape that this host does not know; New
// leaves it as it is.
var ErrNewer = errors.New("it was written by a newer Strata")

// begin gives the record of a chat that a request begins: a new one, or that of a chat
// in which only commands were answered. Workspace is the folder of chats that name none.
func (c record) begin(req chat.StreamRequest, workspace string, now int64) record {
	c.ChatID, c.Created = req.ChatID, cmp.Or(c.Created, now)
	c.CWD = cmp.Or(req.CWD, c.CWD, workspace)
	if !c.Named {
		c.Title = titleFor(req)
	}
	c.Unbegun = false
	return c
}

// parseRecords gives the chats that stand in raw before anything that is broken.
func parseRecords(raw []byte) ([]record, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("no object")
	}
	var out []record
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return out, err
		}
		switch key {
		case "version":
			var v int
			if err := dec.Decode(&v); err != nil {
				return out, err
			}
			if v > recordsVersion {
				return nil, ErrNewer
			}
		case "chats":
			if t, err := dec.Token(); err != nil || t != json.Delim('[') {
				return out, errors.New("chats is no list")
			}
			for dec.More() {
				var c record
				if err := dec.Decode(&c); err != nil {
					return out, err
				}
				if c.ChatID != "" && (c.SessionID != "" || c.Direct || c.Unbegun) {
					out = append(out, c)
				}
			}
			if _, err := dec.Token(); err != nil {
				return out, err
			}
		default:
			var skip json.RawMessage
			if err := dec.Decode(&skip); err != nil {
				return out, err
			}
		}
	}
	if _, err := dec.Token(); err != nil {
		return out, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return out, errors.New("more than one value")
	}
	return out, nil
}

// get gives a chat's record.
func (r *records) get(chatID string) (record, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.chats[chatID]
	return c, ok
}

// all gives every record, in no order.
func (r *records) all() []record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.chats))
}

// bySession gives the chat that has the session.
func (r *records) bySession(sessionID string) (record, bool) {
	for _, c := range r.all() {
		if c.SessionID == sessionID {
			return c, true
		}
	}
	return record{}, false
}

// put adds or replaces a record.
func (r *records) put(c record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.save(c)
}

// change applies f to a record that is there; without one it does nothing.
func (r *records) change(chatID string, f func(*record)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.chats[chatID]
	if !ok {
		return nil
	}
	c.Requests = slices.Clone(c.Requests)
	f(&c)
	if extra := len(c.Requests) - maxRequests; extra > 0 {
		c.Requests = c.Requests[extra:]
	}
	return r.save(c)
}

// save writes the file with c in it, and keeps c only if that worked.
func (r *records) save(c record) error {
	next := maps.Clone(r.chats)
	next[c.ChatID] = c
	file := struct {
		Version int      `json:"version"`
		Chats   []record `json:"chats"`
	}{recordsVersion, slices.SortedFunc(maps.Values(next), func(a, b record) int {
		return bytes.Compare([]byte(a.ChatID), []byte(b.ChatID))
	})}
	if err := store.WriteJSON(r.path, file); err != nil {
		return fmt.Errorf("saving the chats: %w", err)
	}
	r.chats = next
	return nil
}
