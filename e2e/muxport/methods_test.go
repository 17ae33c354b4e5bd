package muxport_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func commands(ctx context.Context, t *testing.T, p *port) {
	id := p.session(ctx, t)
	var list []struct{ Name string }
	if err := p.call(ctx, t, "commands/list", m{"agentId": id}, &list); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(list, func(c struct{ Name string }) bool { return c.Name == "permission" }) {
		t.Errorf("commands: %v", list)
	}
	var done struct {
		CommandID string
		Result    struct{ Kind, Text string }
	}
	execute := func(line string, into any) error {
		return p.call(ctx, t, "commands/execute", m{"agentId": id, "line": line, "submittedAttachments": []any{}}, into)
	}
	if err := execute("/permission strata-plan", &done); err != nil || done.CommandID == "" || done.Result.Kind != "success" {
		t.Errorf("a command: %+v %v", done, err)
	}
	var read struct {
		Values struct{ Permissions map[string]any }
	}
	if err := p.call(ctx, t, "session/projections", m{"request": m{"sessionId": id}}, &read); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"currentValue": "strata-plan"}, read.Values.Permissions); diff != "" {
		t.Errorf("the preset read back (-want +got):\n%s", diff)
	}
	if err := execute("/no-such-command", nil); err != nil {
		t.Errorf("an unknown command: %v", err)
	}
	var none *struct{}
	if err := p.call(ctx, t, "session/projections", m{"request": m{"sessionId": "none"}}, &none); err != nil || none != nil {
		t.Errorf("projections of no session: %v %v", none, err)
	}
}

func goals(ctx context.Context, t *testing.T, p *port) {
	id := p.session(ctx, t)
	type ref struct {
		ID       string `json:"id"`
		Revision int    `json:"revision"`
	}
	type view struct {
		ref
		Objective, Phase, Activation string
	}
	var made struct{ Ref ref }
	if err := p.call(ctx, t, "goals/create", m{"agentId": id, "request": m{"objective": "ship it", "maxGoalRounds": 1}}, &made); err != nil {
		t.Fatal(err)
	}
	var paused, got view
	if err := p.call(ctx, t, "goals/pause", m{"agentId": id, "ref": made.Ref}, &paused); err != nil {
		t.Fatal(err)
	}
	if err := p.call(ctx, t, "goals/get", m{"agentId": id}, &got); err != nil {
		t.Fatal(err)
	}
	want := view{ref{made.Ref.ID, made.Ref.Revision + 1}, "ship it", "paused", "disarmed"}
	if diff := cmp.Diff([]view{want, want}, []view{paused, got}, cmp.AllowUnexported(view{})); diff != "" {
		t.Errorf("paused, and read (-want +got):\n%s", diff)
	}
	var r *refusal
	if err := p.call(ctx, t, "goals/clear", m{"agentId": id, "ref": made.Ref}, nil); !errors.As(err, &r) || r.Code != "gateway/internal" {
		t.Errorf("a stale reference: %v", err)
	}
	if err := p.call(ctx, t, "goals/clear", m{"agentId": id, "ref": paused.ref}, nil); err != nil {
		t.Error(err)
	}
}
