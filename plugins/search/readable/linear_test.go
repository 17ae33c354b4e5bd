//go:build !race

package readable

import (
	"math"
	"strings"
	"testing"
	"time"
)

// Eight times the page takes about eight times as long, up to what is read of one; what
// is quadratic takes 64 times as long, or longer than 5 s where it is below that.
func TestLinear(t *testing.T) {
	for name, one := range map[string]string{
		"text": "words and words ", "paragraphs": "<p>x", "formatting": "<b><i><u><p>", "divs": "<div>", "lists": "<ul><li>x",
		"links": "<a href=x>y</a>", "open links": "<a href=x><i>", "cells": "<table><tr><td>x", "brackets": "<", "entities": "&amp;&nosuch;",
		"attributes": "<p a=b c=d e=f>", "comments": "<!-- x -->", "code": "<pre>`x`\n", "quotes": "<blockquote>x", "hidden": "<p hidden>x</p>",
	} {
		t.Run(name, func(t *testing.T) {
			const size = 4 << 20
			quick, slow := quickest(strings.Repeat(one, size/8/len(one))), quickest(strings.Repeat(one, size/len(one)))
			if slow > 30*quick+20*time.Millisecond || slow > 5*time.Second {
				t.Errorf("%v, and eight times as much takes %v", quick, slow)
			}
		})
	}
}

// quickest of three times: what else the machine does only makes it slower.
func quickest(page string) time.Duration {
	best := time.Duration(math.MaxInt64)
	for range 3 {
		begun := time.Now()
		Read(page, at)
		best = min(best, time.Since(begun))
	}
	return best
}
