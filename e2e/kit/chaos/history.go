package chaos

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// History is what a round did.
type History struct {
	Plan    string  `json:"plan"`
	Seed    uint64  `json:"seed"`
	Failure string  `json:"failure,omitempty"`
	Events  []Event `json:"events"`
}

// Event is one action that was done.
type Event struct {
	Step   int    `json:"step"`
	Action string `json:"action"`
	Note   string `json:"note,omitempty"`
	Error  string `json:"error,omitempty"`
}

func (h *History) add(action, note string, err error) {
	e := Event{Step: len(h.Events), Action: action, Note: note}
	if err != nil {
		e.Error = err.Error()
	}
	h.Events = append(h.Events, e)
}

// save writes <artifacts>/<plan>-<seed>/history.json and gives the folder.
func (h *History) save(artifacts string) (string, error) {
	dir := filepath.Join(artifacts, fmt.Sprintf("%s-%d", h.Plan, h.Seed))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return dir, fmt.Errorf("saving the history: %w", err)
	}
	data, err := json.MarshalIndent(h, "", " ")
	if err != nil {
		return dir, fmt.Errorf("saving the history: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "history.json"), append(data, '\n'), 0o644); err != nil {
		return dir, fmt.Errorf("saving the history: %w", err)
	}
	return dir, nil
}

// rootName is the name of the test that called Run.
func rootName(t testing.TB) string {
	name, _, _ := strings.Cut(t.Name(), "/seed=")
	return name
}
