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
	"reflect"
	"slices"
	"strings"
	"sync"

	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/proto/chat"
)

// recordsFile holds the chats, in the agent's data folder.
const recordsFile = "sessions.json"

// recordsVersion is that of the shape of everything in the agent's data folder. A host
// leaves a folder with a higher one as it is.
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
	Model     string   `json:"model,omitempty"`    // route of the newest run that began
	Requests  []string `json:"requests,omitempty"` // newest last: those that may have reached the Harness

	// Rest is what another version of the host wrote besides; it stays.
	Rest map[string]json.RawMessage `json:"-"`
}

// recordFields are the names that a record has in the file.
var recordFields = func() map[string]bool {
	names := map[string]bool{}
	for f := range reflect.TypeFor[record]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names[name] = true
	}
	return names
}()

// plainRecord is a record without its methods.
type plainRecord record

// UnmarshalJSON implements json.Unmarshaler.
func (c *record) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*plainRecord)(c)); err != nil {
		return err
	}
	var rest map[string]json.RawMessage
	if err := json.Unmarshal(data, &rest); err != nil {
		return err
	}
	for name := range recordFields {
		delete(rest, name)
	}
	if len(rest) > 0 {
		c.Rest = rest
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (c record) MarshalJSON() ([]byte, error) { return withRest(plainRecord(c), c.Rest) }

// withRest is v, a struct with at least one field, and behind its fields the rest.
func withRest(v any, rest map[string]json.RawMessage) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil || len(rest) == 0 {
		return data, err
	}
	more, err := json.Marshal(rest)
	if err != nil {
		return nil, err
	}
	data[len(data)-1] = ','
	return append(data, more[1:]...), nil
}

// records maps chats to sessions. A change is on disk when its call returns.
type records struct {
	path string

	mu    sync.Mutex
	chats map[string]record
	rest  map[string]json.RawMessage // of the file, as record.Rest
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
	chats, rest, err := parseRecords(raw)
	if errors.Is(err, ErrNewer) {
		return nil, fmt.Errorf("reading %s: %w", r.path, err)
	}
	if err != nil {
		if err := keepBroken(r.path, raw); err != nil {
			return nil, fmt.Errorf("keeping the broken list of chats: %w", err)
		}
	}
	r.rest = rest
	for _, c := range chats {
		r.chats[c.ChatID] = c
	}
	return r, nil
}

// keepBroken keeps raw beside path, and what was kept earlier too.
func keepBroken(path string, raw []byte) error {
	name := path + ".broken"
	for n := 2; ; n++ {
		have, err := os.ReadFile(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return store.WriteFile(name, raw)
		case err != nil:
			return err
		case bytes.Equal(have, raw):
			return nil
		}
		name = fmt.Sprintf("%s.broken-%d", path, n)
	}
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

// parseRecords gives the chats that stand in raw before anything that is broken, and
// what else stands there.
func parseRecords(raw []byte) (out []record, rest map[string]json.RawMessage, err error) {
	var head struct{ Version json.RawMessage }
	if json.Unmarshal(raw, &head) == nil && unknownVersion(head.Version) {
		return nil, nil, ErrNewer
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, nil, errors.New("no object")
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return out, rest, err
		}
		switch key {
		case "version":
			var v json.RawMessage
			if err := dec.Decode(&v); err != nil {
				return out, rest, err
			}
			if unknownVersion(v) {
				return nil, nil, ErrNewer
			}
		case "chats":
			if t, err := dec.Token(); err != nil || t != json.Delim('[') {
				return out, rest, errors.New("chats is no list")
			}
			for dec.More() {
				var c record
				if err := dec.Decode(&c); err != nil {
					return out, rest, err
				}
				if c.ChatID != "" && (c.SessionID != "" || c.Direct || c.Unbegun) {
					out = append(out, c)
				}
			}
			if _, err := dec.Token(); err != nil {
				return out, rest, err
			}
		default:
			var value json.RawMessage
			if err := dec.Decode(&value); err != nil {
				return out, rest, err
			}
			if rest == nil {
				rest = map[string]json.RawMessage{}
			}
			rest[fmt.Sprint(key)] = value
		}
	}
	if _, err := dec.Token(); err != nil {
		return out, rest, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return out, rest, errors.New("more than one value")
	}
	return out, rest, nil
}

// unknownVersion tells whether a version is none that this host knows; a file without one is.
func unknownVersion(version json.RawMessage) bool {
	var v int
	return version != nil && (json.Unmarshal(version, &v) != nil || v > recordsVersion)
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

// remove takes a record away; one that is not there is no error.
func (r *records) remove(chatID string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.chats[chatID]; !ok {
		return nil
	}
	next := maps.Clone(r.chats)
	delete(next, chatID)
	return r.write(next)
}

// save writes the file with c in it, and keeps c only if that worked.
func (r *records) save(c record) error {
	next := maps.Clone(r.chats)
	next[c.ChatID] = c
	return r.write(next)
}

// write writes the file, and keeps next only if that worked.
func (r *records) write(next map[string]record) error {
	file, err := withRest(struct {
		Version int      `json:"version"` // first: who does not know it reads no further
		Chats   []record `json:"chats"`
	}{recordsVersion, slices.SortedFunc(maps.Values(next), func(a, b record) int {
		return bytes.Compare([]byte(a.ChatID), []byte(b.ChatID))
	})}, r.rest)
	if err != nil {
		return fmt.Errorf("saving the chats: %w", err)
	}
	if err := store.WriteJSON(r.path, json.RawMessage(file)); err != nil {
		return fmt.Errorf("saving the chats: %w", err)
	}
	r.chats = next
	return nil
}
