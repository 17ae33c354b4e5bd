package gatewaytest

import (
	"net/http"
	"strings"
	"testing"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/proto/dsh"
)

// Events reads a stream until n events have come.
func Events(t *testing.T, s gateway.Stream, n int) []dsh.Event {
	t.Helper()
	var list []dsh.Event
	for len(list) < n {
		item, err := s.Next(t.Context())
		if err != nil {
			t.Fatalf("after %d of %d events: %v", len(list), n, err)
		}
		if item.Event != nil {
			list = append(list, *item.Event)
		}
	}
	return list
}

// Seqs gives the seqs of events.
func Seqs(list []dsh.Event) []int64 {
	out := make([]int64, len(list))
	for i, e := range list {
		out[i] = e.Seq
	}
	return out
}

// UpTo gives the seqs of a log from one to another, both included.
func UpTo(from, to int64) []int64 {
	var out []int64
	for i := from; i <= to; i++ {
		out = append(out, i)
	}
	return out
}

// Next reads notices until one that match picks.
func Next[T any](t *testing.T, w gateway.Watcher, match func(gateway.Notice) *T) T {
	t.Helper()
	for {
		n, err := w.Next(t.Context())
		if err != nil {
			t.Fatalf("waiting for a notice: %v", err)
		}
		if v := match(n); v != nil {
			return *v
		}
	}
}

// Approval picks a notice's approval for Next; nil where it has none.
func Approval(n gateway.Notice) *gateway.Approval { return n.Approval }

// Resolved picks a notice's end of an approval for Next; nil where it has none.
func Resolved(n gateway.Notice) *gateway.Resolved { return n.Resolved }

// Connection picks what a notice says of the connection for Next; nil where it says nothing.
func Connection(n gateway.Notice) *gateway.Connection { return n.Connection }

// Asks tells requests of one method.
func Asks(r *http.Request, method string) bool { return strings.HasSuffix(r.URL.Path, "/api/"+method) }
