package turnguard

import "strings"

// list counts how often a numbered list begins again in a text that comes in pieces.
// A list below another heading of one answer is another list; so is one that is
// indented.
type list struct {
	line    []byte // of the running line, as much as matters
	begun   bool   // a list has begun in this turn
	heading bool   // a heading stands between it and the running line
	stepped bool   // something else was done since: what follows is another answer
	again   int
}

// longest is how much of a line is looked at: a number, or what makes a heading.
const longest = 8

// text takes in a piece and gives how often the list has begun again.
func (l *list) text(piece string) int {
	for i := range len(piece) {
		switch c := piece[i]; {
		case c == '\n':
			l.heads()
			l.line = l.line[:0]
		case len(l.line) < longest:
			l.line = append(l.line, c)
			l.item()
		}
	}
	return l.again
}

// step takes in that something else was done.
func (l *list) step() {
	l.line, l.stepped = l.line[:0], true
}

// item looks whether the running line has just become the first of a list.
func (l *list) item() {
	if s := string(l.line); s != "1. " && s != "1) " && s != "**1." {
		return
	}
	if l.begun && (l.stepped || !l.heading) {
		l.again++
	}
	l.begun, l.heading, l.stepped = true, false, false
}

func (l *list) heads() {
	s := string(l.line)
	if strings.HasPrefix(s, "#") || strings.HasPrefix(s, "**") && !strings.HasPrefix(s, "**1.") {
		l.heading = true
	}
}
