package rules

import "slices"

// Builtin are the accept-lists of the gate. A list that fails its own examples
// panics here: such a gate must not load.
var Builtin = func() *Rules {
	rs, err := Load(slices.Concat(list, read, sums, text, search, scripted, system, git, versions)...)
	if err != nil {
		panic(err)
	}
	return rs
}()
