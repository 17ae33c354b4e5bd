package conformance

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// runGate gives a host side every call of the gate's own golden files. The
// answers must be those bytes: what the gate decided natively.
func runGate(t *testing.T, host Host) {
	t.Run("gate", func(t *testing.T) {
		calls := golden(t, "calls")
		want := map[string][]string{"decide": golden(t, "decisions"), "facts": golden(t, "facts")}
		ask := asking(t, host, "gate")
		for op, answers := range want {
			for i, head := range calls {
				name := fmt.Sprint(op, " ", i)
				want := Event{On: "done", Call: name, Head: answers[i]}
				got := ask(Command{Do: "call", Instance: "gate", Call: name, Op: op, Head: head})
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s of %s (-want +got):\n%s", op, head, diff)
				}
			}
		}
	})
}

// golden reads the lines of one of the gate's golden files.
func golden(t testing.TB, name string) []string {
	b, err := os.ReadFile("../../plugins/gate/testdata/" + name + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(lines) < 100 {
		t.Fatalf("%s.jsonl has only %d lines", name, len(lines))
	}
	return lines
}
