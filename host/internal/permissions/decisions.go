package permissions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
)

// Limits of one answer.
const (
	DefaultLimit = 100
	MaxLimit     = 1000
)

// Query picks decisions.
type Query struct {
	SessionID string // of the chat; "" is all
	Before    int64  // Unix milliseconds; 0 is the newest
	Limit     int    // 0 is DefaultLimit, a larger one than MaxLimit is lowered
}

// Decisions gives lines of the decision log, the newest first. A line that cannot
// be read, as a crash may leave one, is left out.
func (s *Store) Decisions(q Query) (chat.DecisionList, error) {
	out := chat.DecisionList{Decisions: []chat.Decision{}}
	if q.Limit <= 0 {
		q.Limit = DefaultLimit
	}
	q.Limit = min(q.Limit, MaxLimit)
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return out, fmt.Errorf("listing decisions: %w", err)
	}
	for _, e := range slices.Backward(entries) { // names rise with time
		if !e.Type().IsRegular() || !strings.HasPrefix(e.Name(), abi.DecisionRecord) {
			continue
		}
		found, err := s.record(e.Name(), q)
		if err != nil {
			return out, err
		}
		out.Decisions = append(out.Decisions, found...)
		if len(out.Decisions) > q.Limit {
			break
		}
	}
	// Within a record the questions of one moment and what was decided beside them
	// may be out of order.
	slices.SortStableFunc(out.Decisions, func(a, b chat.Decision) int { return int(b.Time - a.Time) })
	if len(out.Decisions) > q.Limit {
		out.Before = out.Decisions[q.Limit].Time + 1
		out.Decisions = out.Decisions[:q.Limit]
	}
	return out, nil
}

// record gives what a record holds, the newest first.
func (s *Store) record(name string, q Query) ([]chat.Decision, error) {
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it was the oldest one just now
	}
	if err != nil {
		return nil, fmt.Errorf("reading decisions: %w", err)
	}
	var out []chat.Decision
	for line := range bytes.Lines(data) {
		var e abi.GateEntry
		if json.Unmarshal(line, &e) != nil || q.SessionID != "" && e.Root != q.SessionID || q.Before != 0 && e.Time >= q.Before {
			continue
		}
		out = append(out, decision(e))
	}
	slices.Reverse(out)
	return out, nil
}

func decision(e abi.GateEntry) chat.Decision {
	card := e.Call
	if e.Session != e.Root && e.Call != "" {
		card = e.Session + ":" + e.Call
	}
	return chat.Decision{
		Time: e.Time, SessionID: e.Root, ToolID: card, Tool: e.Tool, What: e.What, Mode: string(e.Mode), Decision: e.Decision,
		By: e.By, Rule: e.Rule, Permission: e.Permission, Outcome: e.Outcome, Scope: e.Scope, Digest: e.Digest,
	}
}
