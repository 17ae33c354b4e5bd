package contextwindow

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// textsIn are the arguments of the functions about texts.
type textsIn struct {
	Docs []string `json:"docs"`
	Q    string   `json:"q"`
	A    string   `json:"a"`
}

func (x *textsIn) function(name string, in *numbersIn) (value any, known bool) {
	switch name {
	case "terms":
		return terms(in.S), true
	case "bm25":
		scores := bm25(x.Docs, x.Q)
		order := []int{} // the best first; equal ones as they come
		for i, s := range scores {
			at := len(order)
			for at > 0 && scores[order[at-1]] < s {
				at--
			}
			if s > 0 {
				order = slices.Insert(order, at, i)
			}
		}
		return object{"scores": scores, "order": order}, true
	case "sharedPrefix":
		n := 0
		b, _ := in.B.(string)
		for n < len(x.A) && n < len(b) && x.A[n] == b[n] {
			n++
		}
		share := 1.0 // of nothing everything is the same
		if len(b) > 0 {
			share = round6(float64(n) / float64(len(b)))
		}
		return object{"identicalBytes": n, "share": share}, true
	}
	return nil, false
}

// terms are what a text is searched by: words in lower case, and of scripts that do not
// part words each two characters that follow each other.
func terms(text string) []string {
	out := []string{}
	var word, run []rune
	end := func() {
		if len(word) > 0 {
			out, word = append(out, string(word)), word[:0]
		}
		switch {
		case len(run) == 1:
			out = append(out, string(run))
		default:
			for i := 1; i < len(run); i++ {
				out = append(out, string(run[i-1:i+1]))
			}
		}
		run = run[:0]
	}
	for _, r := range strings.ToLower(text) {
		switch {
		case ideographic(r):
			if len(word) > 0 {
				end()
			}
			run = append(run, r)
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			if len(run) > 0 {
				end()
			}
			word = append(word, r)
		default:
			end()
		}
	}
	end()
	return out
}

// ideographic tells whether a character is of Chinese, Japanese or Korean script.
func ideographic(r rune) bool {
	switch {
	case r == 0x3005, r >= 0x3040 && r <= 0x30FF, r >= 0x31F0 && r <= 0x31FF: // 々, kana
	case r >= 0x3400 && r <= 0x4DBF, r >= 0x4E00 && r <= 0x9FFF, r >= 0xF900 && r <= 0xFAFF, r >= 0x20000 && r <= 0x3FFFF:
	case r >= 0x1100 && r <= 0x11FF, r >= 0xAC00 && r <= 0xD7AF, r >= 0xFF66 && r <= 0xFF9F: // hangul, halfwidth kana
	default:
		return false
	}
	return true
}

// bm25 is how well each document answers the query, to six places.
func bm25(docs []string, query string) []float64 {
	const k1, b = 1.2, 0.75
	length, in := 0, map[string]int{}
	counts := make([]map[string]int, len(docs))
	sizes := make([]int, len(docs))
	for i, d := range docs {
		counts[i] = map[string]int{}
		for _, t := range terms(d) {
			if counts[i][t]++; counts[i][t] == 1 {
				in[t]++
			}
			sizes[i]++
		}
		length += sizes[i]
	}
	scores := make([]float64, len(docs))
	mean := float64(length) / float64(max(1, len(docs)))
	for _, t := range terms(query) {
		df := float64(in[t])
		idf := math.Log(1 + (float64(len(docs))-df+0.5)/(df+0.5))
		for i := range docs {
			if tf := float64(counts[i][t]); tf > 0 {
				scores[i] += idf * tf * (k1 + 1) / (tf + k1*(1-b+b*float64(sizes[i])/mean))
			}
		}
	}
	for i := range scores {
		scores[i] = round6(scores[i])
	}
	return scores
}
