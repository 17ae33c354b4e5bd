package e2e

import (
	"context"
	"testing"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/muxport"
)

// wires are those that the host speaks, by the versions of the Harness that have
// them.
var wires = map[string]*muxport.Options{
	"0.1.0": nil, // events.mux
	"0.1.5": {Shape: muxport.Shape015},
	"0.2":   {Shape: muxport.Shape02},
}

// overEach runs a test over the wires of the versions given, side by side.
func overEach(t *testing.T, versions []string, run func(context.Context, *testing.T, kit.HostOptions)) {
	for _, v := range versions {
		t.Run(v, func(t *testing.T) {
			t.Parallel()
			run(kit.Context(t), t, kit.HostOptions{Wire: wires[v]})
		})
	}
}
