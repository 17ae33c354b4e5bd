package connections

import "strata.dev/bridge/host/internal/redact"

// HideIn has r take the key out of whatever goes through it.
func (k Key) HideIn(r *redact.Redactor) {
	if !k.IsZero() {
		r.Add(k.reveal())
	}
}
