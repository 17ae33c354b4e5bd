package rules

import (
	"slices"
	"testing"
)

// All accept-lists, read and checked against their examples: a part of the time
// until the gate is ready.
func BenchmarkLoad(b *testing.B) {
	all := slices.Concat(list, read, sums, text, search, scripted, system, git, versions)
	for b.Loop() {
		if _, err := Load(all...); err != nil {
			b.Fatal(err)
		}
	}
}
