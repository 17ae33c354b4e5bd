package gateway_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/gatewaytest"
)

// Every code that harness-wire.md §2.5 lists has a word of ours; one that is not
// listed is its own.
func TestModernCodes(t *testing.T) {
	const listed = 22 + 15 + 1 + 8 + 5 + 2 + 1 + 1 + 1 + 1 // by family, as they stand there
	got := map[string]string{}
	for wire := range gatewaytest.Codes {
		got[wire] = gateway.ModernCode(wire)
	}
	if diff := cmp.Diff(gatewaytest.Codes, got); diff != "" || len(got) != listed {
		t.Errorf("%d codes, want %d (-want +got):\n%s", len(got), listed, diff)
	}
	for _, wire := range []string{"something/new", "plain", ""} {
		if got := gateway.ModernCode(wire); got != wire {
			t.Errorf("%q became %q", wire, got)
		}
	}
	// Those that the bridge looks at have one name on both wires.
	for wire, want := range map[string]string{
		"session/not-found": gateway.CodeSessionNotFound, "gateway/lookup-not-found": gateway.CodeSessionNotFound,
		"session/agent-busy": gateway.CodeAgentBusy, "session/model-unavailable": gateway.CodeModelUnavailable,
		"gateway/bad-request": gateway.CodeBadRequest, "session/conflict": gateway.CodeSessionConflict,
		"agent-preset/conflict": gateway.CodePresetConflict, "agent-preset/not-found": gateway.CodePresetNotFound,
	} {
		if got := gateway.ModernCode(wire); got != want {
			t.Errorf("%s is %s, want %s", wire, got, want)
		}
	}
}
