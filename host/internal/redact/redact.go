// Package redact is the one funnel through which text goes before it reaches a
// log, a details field or a kept line of the Harness's stderr. It takes out the
// shapes that secrets have, and the values of the secrets this process was given.
package redact

import (
	"bytes"
	"slices"
	"strings"
	"sync/atomic"
)

// Mark stands where a secret was.
const Mark = "[redacted]"

// MinValue is the length in bytes below which a value is not taken for a
// secret: a short one would tear holes into ordinary text.
const MinValue = 8

// maxPasses bounds the passes of Text. A pass can bring a new match about only
// by joining what stood around a secret; real text needs two.
const maxPasses = 16

// Redactor takes secrets out of text. It may be used from many goroutines.
type Redactor struct {
	values atomic.Pointer[[]string]
	count  atomic.Int64
}

// New makes a Redactor that knows some secrets' values besides the shapes.
func New(values ...string) *Redactor {
	r := &Redactor{}
	r.Add(values...)
	return r
}

// Add makes more values known, in each of their Forms.
func (r *Redactor) Add(values ...string) {
	for {
		old := r.values.Load()
		var all []string
		if old != nil {
			all = append(all, *old...)
		}
		for _, v := range values {
			all = appendForms(all, v)
		}
		if r.values.CompareAndSwap(old, &all) {
			return
		}
	}
}

func appendForms(all []string, v string) []string {
	for _, form := range Forms(v) {
		if !slices.Contains(all, form) {
			all = append(all, form)
		}
	}
	return all
}

// shapesAlone knows no values.
var shapesAlone = New()

// Shaped tells whether a text holds what looks like a secret.
func Shaped(s string) bool { return shapesAlone.once(s) != s }

// Count is how many secrets were taken out so far.
func (r *Redactor) Count() int64 { return r.count.Load() }

// Text gives s without secrets, known values and shapes. It is idempotent.
func (r *Redactor) Text(s string) string {
	for range maxPasses {
		t := r.once(s)
		if t == s {
			return s
		}
		s = t
	}
	return Mark
}

func (r *Redactor) once(s string) string {
	if vs := r.values.Load(); vs != nil {
		for _, v := range *vs {
			if n := strings.Count(s, v); n > 0 {
				r.count.Add(int64(n))
				s = strings.ReplaceAll(s, v, Mark)
			}
		}
	}
	lower := strings.ToLower(s) // a replacement brings no hint in
	for i := range shapes {
		if !shapes[i].hinted(lower) {
			continue
		}
		t := shapes[i].replace(s)
		if t != s {
			r.count.Add(1)
		}
		s = t
	}
	return s
}

// Values gives b without the known values; shapes stay, because b may be what a
// person is meant to read. It gives b itself where there is nothing to take out.
func (r *Redactor) Values(b []byte) []byte {
	vs := r.values.Load()
	if vs == nil {
		return b
	}
	for _, v := range *vs {
		if n := bytes.Count(b, []byte(v)); n > 0 {
			r.count.Add(int64(n))
			b = bytes.ReplaceAll(b, []byte(v), []byte(Mark))
		}
	}
	return b
}
