package gateway_test

import (
	"testing"

	"strata.dev/bridge/host/internal/gateway"
)

// Every code that harness-wire.md §2.5 lists has a word of ours.
func TestModernCodes(t *testing.T) {
	listed := map[string][]string{
		"gateway": {
			"internal", "bad-request", "cancelled", "protocol", "arguments-invalid", "input-invalid", "result-invalid",
			"signature-invalid", "method-unavailable", "service-unavailable", "invocation-unavailable",
			"definition-unavailable", "ambiguous-endpoint", "binding-invalid", "provider-mismatch", "context-failed",
			"context-not-found", "context-unavailable", "lookup-failed", "lookup-not-found", "lookup-unavailable",
			"uplink-overflow",
		},
		"session": {
			"not-found", "conflict", "writer-held", "agent-busy", "invalid-time-zone", "workspace-attach-failed",
			"attachment-invalid", "queue-item-not-found", "steer-unavailable", "title-invalid", "fork-unavailable",
			"model-unavailable", "provider-models-unavailable", "provider-credentials-unavailable",
			"projections-unavailable",
		},
		"agent-preset": {"conflict"},
		"subagent": {
			"not-found", "catalog-diagnostic", "unauthorized", "not-resumable", "parent-unavailable",
			"invalid-time-zone", "attachment-invalid", "delivery-unavailable",
		},
		"workspace":        {"not-found", "invalid-path", "name-conflict", "session-active", "move-invalid"},
		"settings":         {"rejected", "conflict"},
		"credential":       {"rejected"},
		"job":              {"not-found"},
		"llm":              {"model-discovery-rejected"},
		"directory-picker": {"cancelled"},
	}
	n := 0
	for family, names := range listed {
		for _, name := range names {
			n++
			wire := family + "/" + name
			if got := gateway.ModernCode(wire); got == wire || got == "" {
				t.Errorf("%s has no word of ours", wire)
			}
		}
	}
	if n != 57 {
		t.Errorf("%d codes, want 57", n)
	}
	for wire, want := range map[string]string{
		"session/not-found": gateway.CodeSessionNotFound, "session/agent-busy": gateway.CodeAgentBusy,
		"session/model-unavailable": gateway.CodeModelUnavailable, "gateway/bad-request": gateway.CodeBadRequest,
		"something/new": "something/new", "plain": "plain",
	} {
		if got := gateway.ModernCode(wire); got != want {
			t.Errorf("%s is %s, want %s", wire, got, want)
		}
	}
}
