package muxport_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/muxport"
	"strata.dev/bridge/e2e/scriptmodel"
)

// TestRestart reads logs in the next process: they have the same events under the
// same numbers, also where the port put some in that the old log has not.
func TestRestart(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	p := start(ctx, t, muxport.Options{})
	id := p.session(ctx, t)
	s := p.mux(ctx, t)
	s.follow(t, "f", id, nil)
	child := scriptmodel.Steps(scriptmodel.Say("I am the helper"))
	p.prompt(ctx, t, id, "restart-1", scriptmodel.Steps(scriptmodel.Helper("look", child, false), scriptmodel.Say("done")))
	until(t, s, "f")
	before := s.follow(t, "g", id, m{"maxMessages": 500})
	i := slices.IndexFunc(before.Records, func(r record) bool { return r.Event.Type == "subagent/catalog" })
	if i < 0 {
		t.Fatalf("the parent's log names no helper: %+v", before.Records)
	}
	var entry struct {
		Version       int
		ChildID, Mode string
	}
	if err := json.Unmarshal(before.Records[i].Event.Data, &entry); err != nil || entry.ChildID == "" || entry.Mode != "one-shot" {
		t.Errorf("the helper in its parent's log: %+v, %v", entry, err)
	}
	helper := func(mode string) m {
		return m{"kind": "subagent", "parentSessionId": id, "childSessionId": entry.ChildID, "mode": mode}
	}
	read := func() map[string][]record {
		logs := map[string][]record{}
		for name, address := range map[string]m{"chat": {"kind": "session", "sessionId": id}, "helper": helper("one-shot")} {
			s := p.mux(ctx, t)
			s.open(t, "f", "session/follow", m{"request": m{"address": address, "maxMessages": 500}})
			logs[name] = item[followed](t, s, "f").Records
		}
		return logs
	}
	first := read()
	if _, err := p.process.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	p.launch(ctx, t)
	if diff := cmp.Diff(first, read()); diff != "" || len(first["helper"]) == 0 {
		t.Errorf("the logs, before and after (-before +after):\n%s", diff)
	}

	refused(ctx, t, p, map[string]m{
		"session/page subagent/unauthorized mode": {"request": m{"address": helper("continuable"), "throughSeq": -1}},
		"session/page subagent/unauthorized parent": {"request": m{"address": m{
			"kind": "subagent", "parentSessionId": p.session(ctx, t), "childSessionId": entry.ChildID, "mode": "one-shot",
		}, "throughSeq": -1}},
		"session/page session/agent-busy":     {"request": m{"address": m{"kind": "session", "sessionId": entry.ChildID}, "throughSeq": -1}},
		"session/prompt session/agent-busy":   {"request": m{"requestId": "x", "sessionId": entry.ChildID, "mode": "queue", "content": []m{{"type": "text", "text": "hi"}}}},
		"commands/execute session/agent-busy": {"agentId": entry.ChildID, "line": "/x", "submittedAttachments": []any{}},
	})
	var listed struct {
		Items []struct {
			SessionID, ParentSessionID, Origin string
		}
	}
	if err := p.call(ctx, t, "session/list", m{"_request": m{}}, &listed); err != nil {
		t.Fatal(err)
	}
	for _, row := range listed.Items {
		if row.SessionID == entry.ChildID && (row.ParentSessionID != id || row.Origin != "subagent") {
			t.Errorf("the helper's row: %+v", row)
		}
	}
}
