package script

import (
	"slices"
	"strings"
)

// maxGrowth is how many times longer than what it was made of a script may make a
// text, as far as its words tell.
const maxGrowth = 1 << 20

// copied is one assignment: the variables whose texts its target is put together of.
// All fields of a record are the variable $.
type copied struct {
	target string
	from   map[string]int
	joins  bool // texts are put behind one another, not one of them taken
}

// grows tells whether a program may double a text each time it goes through: a
// variable that is made of itself twice, also by way of others, fills the memory
// within some dozen lines.
func (a *awk) grows() bool {
	all := a.copies()
	if !slices.ContainsFunc(all, func(c copied) bool { return c.joins }) {
		return false
	}
	into := map[string][]copied{}
	for _, c := range all {
		into[c.target] = append(into[c.target], c)
	}
	loops := slices.Contains(a.tokens, awkToken{"word", "for"})
	growth := 1
	for _, c := range all {
		if !c.joins {
			continue
		}
		again, sum := 0, 0
		for name, times := range c.from {
			sum += times
			if name == c.target || sources(into, name)[c.target] {
				again += times
			}
		}
		if c.target == "$" && !loops && len(sources(into, "$")) <= 1 {
			again = 0 // only ever made of fields, which are new with each record
		}
		if growth *= max(1, sum); again > 1 || again > 0 && len(a.counters) > 1 || growth > maxGrowth {
			return true
		}
	}
	return false
}

// sources are the variables that what is in one may come from.
func sources(into map[string][]copied, name string) map[string]bool {
	found := map[string]bool{}
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		for _, c := range into[queue[0]] {
			for from := range c.from {
				if !found[from] {
					found[from] = true
					queue = append(queue, from)
				}
			}
		}
	}
	return found
}

func (a *awk) copies() (all []copied) {
	for i, t := range a.tokens {
		switch {
		case t.kind == "=":
			c := a.made(i+1, a.end(i+1))
			c.target = a.target(i - 1)
			all = append(all, c)
		case t.kind == "[" && a.at(i-1) == "name": // what is put in brackets comes back as a key
			c := a.made(i+1, a.end(i+1))
			c.target = a.tokens[i-1].text
			all = append(all, c)
		case t.kind == "word" && t.text == "in":
			all = append(all, copied{target: a.name(i - 1), from: map[string]int{a.name(i + 1): 1}})
		case t.kind == "name" && a.at(i+1) == "(" && slices.Contains([]string{"sub", "gsub", "split", "match"}, t.text):
			all = append(all, a.called(t.text, i+2)...)
		}
	}
	return all
}

// called are the assignments that a function makes to what it is handed.
func (a *awk) called(function string, i int) []copied {
	var from, to []int
	for {
		from, to = append(from, i), append(to, a.end(i))
		if i = to[len(to)-1] + 1; a.at(i-1) != "," {
			break
		}
	}
	target := "$"
	switch function {
	case "split", "match":
		at := map[string]int{"split": 1, "match": 2}[function]
		if len(from) <= at {
			return nil
		}
		c := a.made(from[0], to[0])
		c.target = a.name(from[at])
		return []copied{c}
	}
	if len(from) < 2 {
		return nil
	}
	if len(from) > 2 {
		target = a.target(to[2] - 1)
	}
	c := a.made(from[1], to[1])
	c.target, c.joins = target, true
	c.from[target]++
	literal, text := to[1] == from[1]+1 && a.at(from[1]) == "s", ""
	if literal {
		text = a.tokens[from[1]].text
	}
	if !literal || strings.Contains(text, "&") || function == "gsub" && len(text) > 1 {
		c.from[target]++
	}
	return []copied{c}
}

// end is where an expression that begins at i ends.
func (a *awk) end(i int) int {
	for depth := 0; i < len(a.tokens); i++ {
		switch a.at(i) {
		case "(", "[":
			depth++
		case ")", "]":
			if depth--; depth < 0 {
				return i
			}
		case ",":
			if depth == 0 {
				return i
			}
		case ";", "{", "}":
			return i
		}
	}
	return i
}

// made tells what an expression is put together of. What only picks an element of
// an array is no part of it.
func (a *awk) made(i, end int) copied {
	c := copied{from: map[string]int{}}
	for depth := 0; i < end; i++ {
		switch t := a.tokens[i]; {
		case t.kind == "[":
			depth++
		case t.kind == "]":
			depth--
		case depth > 0:
		case t.kind == "$":
			c.from["$"]++
		case t.kind == "name" && (t.text == "sprintf" || t.text == "gensub"):
			c.joins = true
		case t.kind == "name" && !slices.Contains(awkFunctions, t.text) && !slices.Contains(awkNumbers, t.text):
			c.from[t.text]++
		}
		if depth == 0 && i+1 < end && a.joined(i) {
			c.joins = true
		}
	}
	return c
}

// awkNumbers are variables of awk's own that hold numbers.
var awkNumbers = []string{"NR", "NF", "FNR", "RSTART", "RLENGTH"}

// joined tells whether the tokens at i and behind it are two values without an
// operator between: they are put behind one another.
func (a *awk) joined(i int) bool {
	if a.at(i) == "name" && a.at(i+1) == "(" {
		return false // a call
	}
	return slices.Contains([]string{"name", "n", "s", ")", "]"}, a.at(i)) && slices.Contains([]string{"name", "n", "s", "(", "$"}, a.at(i+1))
}

// target is the variable that what ends at i names.
func (a *awk) target(i int) string {
	if a.at(i) == "]" {
		for depth := 0; i >= 0; i-- {
			switch a.at(i) {
			case "]":
				depth++
			case "[":
				depth--
			}
			if depth == 0 {
				i--
				break
			}
		}
	}
	if a.at(i-1) == "$" || a.at(i) != "name" {
		return "$"
	}
	return a.name(i)
}

func (a *awk) name(i int) string {
	if a.at(i) != "name" {
		return "$"
	}
	return a.tokens[i].text
}
