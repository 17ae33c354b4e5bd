package gateway

import "fmt"

// Joined checks what preset a new session says that it joined, "" for none. Want is
// what it was to join, "" for any.
func Joined(method, session, want, joined string) error {
	if want == "" || joined == want {
		return nil
	}
	return &Error{Method: method, Code: CodeNotJoined, Message: fmt.Sprintf("session %s joined the preset %q, not %q", session, joined, want)}
}
