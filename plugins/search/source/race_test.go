//go:build race

package source

// junkSize is what the race detector, ten times slower, is given: it looks for
// something else than speed.
const junkSize = 500_000
