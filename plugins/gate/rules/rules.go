package rules

import "slices"

// Builtin are the accept-lists of the gate. A list that fails its own examples
// panics here: such a gate must not load.
var Builtin = func() *Rules {
	rs, err := Load(slices.Concat(files, text, system, git)...)
	if err != nil {
		panic(err)
	}
	return rs
}()
