package rules

// Builtin are the accept-lists of the gate. A test loads them all, so that none
// that fails its own examples gets here.
var Builtin = Lazy(list, read, sums, text, search, scripted, system, git, versions)
