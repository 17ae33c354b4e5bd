package e2e

import "strata.dev/bridge/e2e/muxport"

// wires are those that the host speaks, by the Harnesses that have them.
var wires = map[string]*muxport.Options{
	"0.1.0": nil, // events.mux
	"0.1.5": {Shape: muxport.Shape015},
	"0.2":   {Shape: muxport.Shape02},
}
