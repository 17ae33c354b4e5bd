package main

import (
	"os"
	"testing"
)

// TestNoted: a note that is cut at any byte, or written over a longer one, names no
// process that it does not mean, and no host ends that does not.
func TestNoted(t *testing.T) {
	const url = "http://127.0.0.1:4000/"
	for _, ends := range []bool{false, true} {
		whole := note(url, ends)
		for cut := range len(whole) + 1 {
			got, pid, says := noted(whole[:cut])
			if pid != 0 && pid != os.Getpid() || says && !ends || len(got) > len(url) {
				t.Errorf("%q: %q, process %d, ends %t", whole[:cut], got, pid, says)
			}
		}
		if got, pid, says := noted(whole); got != url || pid != os.Getpid() || says != ends {
			t.Errorf("%q: %q, process %d, ends %t", whole, got, pid, says)
		}
		over := append(note("", false), whole[min(len(whole), len(note("", false))):]...)
		if got, pid, says := noted(over); got != "" || pid != os.Getpid() || says {
			t.Errorf("%q: %q, process %d, ends %t", over, got, pid, says)
		}
	}
}
