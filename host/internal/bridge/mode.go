package bridge

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// preset is the permission preset of the run's mode.
func (r *active) preset() string { return "strata-" + string(r.mode) }

const (
	readBacks    = 5                     // of the mode, until it is said not to match
	readBackWait = 50 * time.Millisecond // between two
)

// setMode puts the session into its mode and reads it back once the command is
// done, as the projection passes through other presets before. It gives the seq up
// to which the log is ours.
func (r *active) setMode(ctx context.Context) (int64, *chat.Error) {
	res, err := r.link.gw.Execute(ctx, r.root, "/permission "+r.preset())
	if err != nil {
		return 0, r.failure(ctx, r.link, err)
	}
	if !res.Found || !res.OK {
		return 0, r.noMode(res.Text)
	}
	var current string
	for range readBacks {
		snap, err := r.link.gw.Snapshot(ctx, r.root, r.base.Load().seq+1)
		if err != nil {
			return 0, r.failure(ctx, r.link, err)
		}
		var p struct {
			Current string `json:"currentValue"`
		}
		if err := json.Unmarshal(snap.Projections["permissions"], &p); err != nil {
			return 0, r.noMode("permissions: " + err.Error())
		}
		if current = p.Current; current == r.preset() {
			return snap.LastSeq, nil
		}
		select {
		case <-time.After(readBackWait):
		case <-ctx.Done():
			return 0, r.failure(ctx, r.link, ctx.Err())
		}
	}
	return 0, r.noMode("the mode reads " + current)
}

func (r *active) noMode(details string) *chat.Error {
	e := say.Error(chat.CodeModeUnavailable, details, say.ModeUnavailable, "mode", modeName(string(r.mode)))
	e.Actions = []string{project.ActionRetry, project.ActionNewChat}
	return e
}

// modeName is a mode as the page's menu writes it.
func modeName(mode string) string { return strings.ToUpper(mode[:1]) + mode[1:] }

// confirmGate makes sure that the gate answers, is the one that was installed, has
// all its seams, and judges the session as Manual: without it Manual would be an
// open sandbox.
func (r *active) confirmGate(ctx context.Context) *chat.Error {
	no := func(details string) *chat.Error {
		return offering(say.Error(chat.CodeModeUnavailable, details, say.GateUnavailable), project.ActionRetry)
	}
	res, err := r.link.gw.Execute(ctx, r.root, "/strata-gate")
	switch {
	case err != nil:
		return r.failure(ctx, r.link, err)
	case !res.Found || !res.OK:
		return no("/strata-gate: " + res.Text)
	}
	var gate struct {
		Gate    string          `json:"gate"`
		SHA256  string          `json:"sha256"`
		Mode    string          `json:"mode"`
		Root    string          `json:"root"`
		Seams   map[string]bool `json:"seams"`
		Missing []string        `json:"missing"`
	}
	if err := json.Unmarshal([]byte(res.Text), &gate); err != nil {
		return no("/strata-gate: " + err.Error())
	}
	r.c.b.noteGate(gate.SHA256, gate.Seams, gate.Missing)
	whole := gate.Gate == "on" && len(gate.Missing) == 0 && len(gate.Seams) > 0
	for _, there := range gate.Seams {
		whole = whole && there
	}
	for _, p := range r.c.b.o.Harness.Status().Plugins {
		whole = whole && (p.Name != gatePlugin || p.SHA256 == "" || p.SHA256 == gate.SHA256)
	}
	if !whole || gate.Mode != string(r.mode) || (gate.Root != "" && gate.Root != r.root) {
		return no(res.Text)
	}
	return nil
}
