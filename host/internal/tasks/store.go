package tasks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/proto/chat"
)

// What is kept of results.
const (
	MaxResults = 50       // of one task; the oldest go
	maxBytes   = 16 << 20 // of all; the oldest go
)

// fileVersion is that of the shape of both files.
const fileVersion = 1

// ErrNewer says that a newer Strata has written the tasks.
var ErrNewer = errors.New("it was written by a newer Strata")

// saved is a task as it is on disk.
type saved struct {
	ID      string        `json:"id"`
	Spec    chat.TaskSpec `json:"spec"`
	Created int64         `json:"createdAt"` // Unix milliseconds, as all times here
	Updated int64         `json:"updatedAt"`
	Due     int64         `json:"due,omitempty"`  // next; 0 is never
	Last    int64         `json:"last,omitempty"` // the newest that was due
	// Run is the one under way: what is there at the host's start did not survive.
	Run *savedRun `json:"run,omitempty"`
}

// savedRun is a run that was begun, or waits for others.
type savedRun struct {
	ID    string `json:"id"`
	Due   int64  `json:"due,omitempty"` // 0: a person began it
	Begun int64  `json:"begun,omitempty"`
}

// files are the tasks and their results on disk, one JSON object a line, each file
// written as a whole.
type files struct{ dir string }

func (f files) tasks() string            { return filepath.Join(f.dir, "tasks.jsonl") }
func (f files) results(id string) string { return filepath.Join(f.dir, "results", id+".jsonl") }

type header struct {
	Version int `json:"version"`
}

// readTasks gives what can be read. A file with broken lines is kept beside the new one.
func (f files) readTasks() ([]saved, error) {
	list, err := read(f.tasks(), func(s saved) bool { return validID(s.ID) })
	if err != nil {
		return nil, fmt.Errorf("reading the tasks: %w", err)
	}
	return list, nil
}

func (f files) writeTasks(list []saved) error {
	slices.SortFunc(list, func(a, b saved) int { return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID)) })
	if err := write(f.tasks(), list); err != nil {
		return fmt.Errorf("saving the tasks: %w", err)
	}
	return nil
}

// readResults gives a task's results, the oldest first.
func (f files) readResults(id string) ([]chat.TaskResult, error) {
	list, err := read(f.results(id), func(r chat.TaskResult) bool { return r.ID != "" && r.TaskID == id })
	if err != nil {
		return nil, fmt.Errorf("reading results: %w", err)
	}
	return list, nil
}

func (f files) writeResults(id string, list []chat.TaskResult) error {
	if err := write(f.results(id), list); err != nil {
		return fmt.Errorf("saving results: %w", err)
	}
	return nil
}

// dropResults removes a task's results; none there is no error.
func (f files) dropResults(id string) error {
	if err := os.Remove(f.results(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing results: %w", err)
	}
	return nil
}

// read gives the lines of a file that are good. A file that has others is copied
// aside, so that nothing is lost with the next write.
func read[T any](path string, good func(T) bool) ([]T, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, broken, err := parse(raw, good)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case broken:
		return list, store.WriteFile(path+".broken", raw)
	}
	return list, nil
}

// parse gives the good lines behind a header, and whether there are others. The error
// is ErrNewer.
func parse[T any](raw []byte, good func(T) bool) (list []T, broken bool, err error) {
	first := true
	for line := range bytes.Lines(raw) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var h header
		if first && json.Unmarshal(line, &h) == nil && h.Version > fileVersion {
			return nil, false, ErrNewer
		}
		head := first && h.Version == fileVersion
		first = false
		if head {
			continue
		}
		var v T
		if json.Unmarshal(line, &v) != nil || !good(v) {
			broken = true
			continue
		}
		list = append(list, v)
	}
	return list, broken, nil
}

func write[T any](path string, list []T) error {
	out, err := format(list)
	if err != nil {
		return err
	}
	return store.WriteFile(path, out)
}

// format is what parse reads.
func format[T any](list []T) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	if err := enc.Encode(header{fileVersion}); err != nil {
		return nil, err
	}
	for _, v := range list {
		if err := enc.Encode(v); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// book holds the results of all tasks, within their limits. It is pure.
type book map[string][]chat.TaskResult

// add puts a result to its task's, and gives the ids of the tasks whose results are
// others now. Runs in a row that were missed, or left out, are one result.
func (b book) add(r chat.TaskResult) (changed []string) {
	list := b[r.TaskID]
	if n := len(list); n > 0 && r.Times > 0 && list[n-1].Outcome == r.Outcome && list[n-1].Times > 0 {
		r.ID, r.DueAt, r.Times = list[n-1].ID, list[n-1].DueAt, r.Times+list[n-1].Times
		list = list[:n-1]
		r.Note = note(r)
	}
	list = append(slices.Clone(list), r)
	if extra := len(list) - MaxResults; extra > 0 {
		list = list[extra:]
	}
	b[r.TaskID] = list
	changed = []string{r.TaskID}
	for size := b.size(); size > maxBytes; {
		id, ok := b.oldest(r.ID)
		if !ok {
			break
		}
		size -= weight(b[id][0])
		b[id] = slices.Clone(b[id][1:])
		if !slices.Contains(changed, id) {
			changed = append(changed, id)
		}
	}
	return changed
}

// oldest names the task that has the oldest of all results but one.
func (b book) oldest(but string) (task string, ok bool) {
	for _, id := range slices.Sorted(maps.Keys(b)) {
		if list := b[id]; len(list) > 0 && list[0].ID != but && (!ok || list[0].EndedAt < b[task][0].EndedAt) {
			task, ok = id, true
		}
	}
	return task, ok
}

func (b book) size() int {
	n := 0
	for _, list := range b {
		for _, r := range list {
			n += weight(r)
		}
	}
	return n
}

// weight is about how many bytes a result takes.
func weight(r chat.TaskResult) int {
	n := 512 + len(r.Summary) + len(r.Details) + len(r.Note.Text)
	for _, list := range [][]chat.TaskAction{r.Changes, r.Refused} {
		for _, a := range list {
			n += 64 + len(a.Tool) + len(a.Title) + 2*len(a.Reason.Text)
		}
	}
	return n
}

// validID tells an id of ours, which is a file's name too.
func validID(id string) bool {
	if len(id) != idLength {
		return false
	}
	for _, c := range id {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f') {
			return false
		}
	}
	return true
}
