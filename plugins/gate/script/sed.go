package script

import "strings"

// Sed tells whether a sed script only prints, deletes and replaces in what it
// prints. It has no w, e, r (files and programs), no labels and hold space (they
// may not end), no text of its own, and nothing that makes a line a million times
// longer.
func Sed(src string) bool {
	s := sed{reader: reader{src: src}, growth: 1}
	if !Mild(src) {
		return false
	}
	for depth := 0; s.growth <= maxGrowth; {
		s.run(" \t\n;")
		if s.done() {
			return depth == 0
		}
		if s.take("}") {
			if depth--; depth < 0 || !s.end() {
				return false
			}
			continue
		}
		if !s.addresses() {
			return false
		}
		if s.run(" \t"); s.take("!") {
			s.run(" \t")
		}
		if s.take("{") {
			depth++
			continue
		}
		if !s.function() || !s.end() {
			return false
		}
	}
	return false
}

type sed struct {
	reader
	growth int // how many times longer a line may get
}

// end tells whether a command ends here.
func (s *sed) end() bool {
	s.run(" \t")
	return s.done() || strings.IndexByte(";\n}", s.peek()) >= 0
}

func (s *sed) addresses() bool {
	before := s.pos
	if !s.address() {
		return s.pos == before // there is none
	}
	if s.run(" \t"); !s.take(",") {
		return true
	}
	s.run(" \t")
	if s.take("+") || s.take("~") {
		return s.number()
	}
	return s.address()
}

// address reads a line number, a step, the last line or a pattern.
func (s *sed) address() bool {
	switch {
	case s.take("$"):
		return true
	case s.take("/"):
		if !s.regex('/') {
			return false
		}
		s.take("I")
		return true
	}
	return s.number() && (!s.take("~") || s.number())
}

func (s *sed) number() bool { return s.run(digits) != "" }

func (s *sed) function() bool {
	c := s.peek()
	s.pos++
	switch c {
	case 'p', 'd', '=', 'n', 'N', 'P', 'F', 'z':
		return true
	case 'q', 'Q', 'l':
		s.run(" \t")
		s.run(digits)
		return true
	case 's', 'y':
		delimiter := s.peek()
		if delimiter == 0 || strings.IndexByte("/|#,:@!%_+", delimiter) < 0 {
			return false
		}
		s.pos++
		if !s.regex(delimiter) {
			return false
		}
		start := s.pos
		if !s.replacement(delimiter) {
			return false
		}
		if c == 's' {
			s.lengthens(s.src[start:s.pos-1], strings.ContainsAny(s.run("gpiIM"+digits), "gM"))
		}
		return true
	}
	return false
}

// lengthens notes how much longer a replacement may make a line: what was found may
// be one character, or the whole line.
func (s *sed) lengthens(text string, all bool) {
	again, plain := 0, 0
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '&':
			again++
		case text[i] == '\\' && i+1 < len(text):
			i++
			if text[i] >= '1' && text[i] <= '9' {
				again++
			} else {
				plain++
			}
		default:
			plain++
		}
	}
	if all {
		again += plain
	}
	s.growth *= max(1, min(again, maxGrowth+1))
}

// replacement reads up to the closing delimiter.
func (s *sed) replacement(delimiter byte) bool {
	for !s.done() {
		c := s.peek()
		s.pos++
		switch c {
		case delimiter:
			return true
		case '\n':
			return false
		case '\\':
			if s.done() || s.peek() == '\n' {
				return false
			}
			s.pos++
		}
	}
	return false
}
