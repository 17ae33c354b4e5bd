package e2e

import (
	"context"
	"testing"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
)

// BenchmarkHostStart takes the time until the host's page can be opened; it does
// not wait for the Harness (budget: 150 ms, design §7).
func BenchmarkHostStart(b *testing.B) {
	model := kit.StartModel(b, scriptmodel.Config{})
	kit.HostBinary(b)
	kit.Shim(b)
	for b.Loop() {
		kit.StartHost(b.Context(), b, kit.NewHome(b), kit.HostOptions{Model: model})
	}
}

// BenchmarkFirstAnswer takes the time from the start of the host to the end of
// the first turn: the Harness starts meanwhile.
func BenchmarkFirstAnswer(b *testing.B) {
	model := kit.StartModel(b, scriptmodel.Config{})
	kit.HostBinary(b)
	kit.Shim(b)
	for b.Loop() {
		firstAnswer(b.Context(), b, kit.StartHost(b.Context(), b, kit.NewHome(b), kit.HostOptions{Model: model}))
	}
}

func firstAnswer(ctx context.Context, b *testing.B, h *kit.Host) {
	run, err := h.NewChat().Send(ctx, scriptmodel.Steps(scriptmodel.Say("ready")))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := run.End(ctx); err != nil {
		b.Fatal(err)
	}
}
