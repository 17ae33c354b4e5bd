package rules

import "testing"

func TestBuiltinTakesItsExamples(t *testing.T) {
	if n := len(Builtin.byName); n < 30 {
		t.Fatalf("%d programs", n)
	}
}
