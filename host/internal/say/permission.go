package say

// Permissions that a person gives in advance.
const (
	// UnknownPermission is said for a saved permission that is not there.
	UnknownPermission = "This saved permission is no longer there. Reload the list to see what is."
	// NotTheGates is why a yes cannot be saved where another plugin asks.
	NotTheGates = "The part that asks is not Strata's own."
	// CannotSave is said where a yes cannot reach as far as the person wanted.
	CannotSave = "This yes can only be given once: {reason} Choose once, or change the pattern."
)
