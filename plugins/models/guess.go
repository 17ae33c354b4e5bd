package models

import (
	"slices"
	"strings"
	"unicode"
)

const (
	maxGuesses = 5
	// maxGuessed bounds the names that are compared letter by letter, in characters.
	maxGuessed = 100
	good       = 50 // points from which on a route is worth asking about
	near       = 15 // points that others may be behind the best one
)

// guess gives the routes that a query may have meant, best first.
func guess(query folded, routes []*known) []*known {
	var found []*known
	var points []int
	for _, r := range routes {
		p := likeness(query, fold(tail(r.ID)))
		for _, name := range r.names[:r.own] {
			p = max(p, likeness(query, name))
		}
		if p < good {
			continue
		}
		at := len(points) // behind those that are as good
		for at > 0 && points[at-1] < p {
			at--
		}
		found, points = slices.Insert(found, at, r), slices.Insert(points, at, p)
	}
	n := 0
	for n < min(len(points), maxGuesses) && points[n] >= points[0]-near {
		n++
	}
	return found[:n]
}

// tail is a model's id without its maker: servers that resell put it in front.
func tail(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }

// likeness tells how well a name fits a query that is not the name: 0 to 100.
func likeness(query, name folded) int {
	q, n := []rune(query[bare]), []rune(name[bare])
	switch {
	case len(n) == 0 || len(q) > maxGuessed || len(n) > maxGuessed:
		return 0
	case slices.Equal(q, n):
		return 99
	case slices.Equal(look(q), look(n)):
		return 98
	}
	points := 0
	if d, within := distance(look(q), look(n), typos(len(q))); within {
		points = 96 - 8*d
		if numbers(q) != numbers(n) { // another version rather than a slip
			points -= near
		}
	}
	short, long := string(q), string(n)
	if len(q) > len(n) {
		short, long = long, short
	}
	share := 20 * min(len(q), len(n)) / max(len(q), len(n))
	switch said := width(short); {
	case said < 3:
	case strings.HasPrefix(long, short):
		points = max(points, 70+share)
	case strings.Contains(long, short), said > 3 && holds(name, query):
		points = max(points, 60+share)
	}
	return points
}

// width is how much a text says, in Latin letters: a character of the East counts two.
func width(text string) int {
	n := 0
	for _, r := range text {
		if n++; r >= 0x1100 {
			n++
		}
	}
	return n
}

// typos is how many slips a name of n characters may have.
func typos(n int) int {
	switch {
	case n < 3:
		return 0
	case n < 6:
		return 1
	case n < 11:
		return 2
	}
	return 3
}

// look gives a text by how it looks: letters of other alphabets, and digits, that are
// taken for Latin letters become those. Never a match, since the two may well be two
// models.
func look(text []rune) []rune {
	out := make([]rune, len(text))
	for i, r := range text {
		out[i] = r
		switch {
		case r == '0':
			out[i] = 'o'
		case r == '1', r == 'l':
			out[i] = 'i'
		case r >= 0x80:
			if as, ok := lookalikes[r]; ok {
				out[i] = as
			}
		}
	}
	return out
}

// lookalikes are Cyrillic, Greek and Armenian letters with the Latin ones that they
// look like (Unicode's confusables, lower case).
var lookalikes = map[rune]rune{
	'а': 'a', 'в': 'b', 'е': 'e', 'ё': 'e', 'і': 'i', 'ї': 'i', 'ј': 'j', 'к': 'k', 'м': 'm', 'н': 'h', 'о': 'o', 'п': 'n', 'р': 'p',
	'с': 'c', 'т': 't', 'у': 'y', 'х': 'x', 'ѕ': 's', 'һ': 'h', 'ԁ': 'd', 'ԛ': 'q', 'ԝ': 'w', 'ѵ': 'v', 'г': 'r', 'з': '3', 'ь': 'b',
	'α': 'a', 'β': 'b', 'γ': 'y', 'ε': 'e', 'η': 'n', 'ι': 'i', 'κ': 'k', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'σ': 'o', 'τ': 't', 'υ': 'u',
	'χ': 'x', 'ω': 'w', 'μ': 'u', 'ո': 'n', 'ս': 'u', 'օ': 'o', 'ց': 'g', 'հ': 'h', 'ɡ': 'g', 'ɑ': 'a', 'ı': 'i',
}

// numbers are the digits of a text, in order.
func numbers(text []rune) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsDigit(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// holds tells whether a name holds each of a query's words.
func holds(name, query folded) bool {
	for _, w := range strings.Fields(query[plain]) {
		if !strings.Contains(name[bare], fold(w)[bare]) {
			return false
		}
	}
	return true
}

// distance counts the letters that must be put in, left out, replaced, or swapped with
// their neighbour to make b of a; within is false above limit.
func distance(a, b []rune, limit int) (d int, within bool) {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return 0, false
	}
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)], last[len(b)] <= limit
}
