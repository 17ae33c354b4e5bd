// Package pwsh takes a PowerShell command line apart and says which of its
// commands only look. It reads a small part of the language on purpose: bare
// words, quoted texts with nothing to fill in, | ; new lines and 2>$null. What
// lies outside of that asks. Facts of the language are those of PowerShell's own
// tokenizer (version 7), run as pwsh -NoProfile -NonInteractive -Command.
package pwsh

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"strata.dev/bridge/plugins/gate/bash"
	"strata.dev/bridge/plugins/gate/reason"
)

// command is one command of a pipeline.
type command struct {
	text  string // as it was written
	args  []argument
	piped bool // its input comes from the command before it
}

// argument is one argument: a word, or several with commas between.
type argument struct {
	items []word
	tight bool // no blank beside a comma
}

// word is one word with its quotes taken off.
type word struct {
	text  string
	bare  bool // without any quote
	mixed bool // begins bare and holds a quoted piece: --format='%h'
}

// lexer walks a command line once.
type lexer struct {
	src      string
	pos      int
	commands []command
	problem  bash.Problem
}

// parse takes a command line apart. Only the first problem is told.
func parse(src string) ([]command, bash.Problem) {
	if p := readable(src); !p.None() {
		return nil, p
	}
	l := lexer{src: src}
	for l.problem.None() && l.pos < len(src) {
		l.pipeline()
	}
	switch {
	case !l.problem.None():
		return nil, l.problem
	case len(l.commands) == 0:
		return nil, bash.Problem{Rule: "empty", Reason: reason.Of(reason.Empty)}
	case len(l.commands) > bash.MaxParts:
		return nil, bash.Problem{Rule: "parts", Reason: reason.Of(reason.TooManyParts, "max", strconv.Itoa(bash.MaxParts))}
	}
	return l.commands, bash.Problem{}
}

// readable refuses what could be read in another way than it looks: control and
// invisible characters, blanks that are none, a backtick (it escapes, and joins
// lines), and the typographic quotes that PowerShell takes for plain ones.
func readable(src string) bash.Problem {
	switch {
	case len(src) > bash.MaxBytes:
		return bash.Problem{Rule: "length", Reason: reason.Of(reason.TooLong)}
	case !utf8.ValidString(src), strings.ContainsFunc(src, unusual):
		return bash.Problem{Rule: "characters", Reason: reason.Of(reason.Hidden)}
	}
	return bash.Problem{}
}

func unusual(r rune) bool {
	switch {
	case r == '`', r >= '\u2018' && r <= '\u201F':
		return true
	case r < 0x7F:
		return r < ' ' && r != '\n' && r != '\t'
	}
	return unicode.In(r, unicode.C, unicode.Z)
}

// pipeline reads commands up to a semicolon or the end of a line.
func (l *lexer) pipeline() {
	for piped := false; l.problem.None(); piped = true {
		if piped {
			l.skip(" \t\n")
		} else {
			l.skip(" \t\n;")
			if l.pos == len(l.src) {
				return
			}
		}
		more := l.command(piped)
		if !more {
			return
		}
	}
}

// command reads one command and tells whether another is piped to.
func (l *lexer) command(piped bool) (more bool) {
	start, end := l.pos, l.pos
	c := command{piped: piped}
	for l.problem.None() {
		l.skip(" \t")
		switch l.peek() {
		case 0, ';', '\n', '|':
			more = l.peek() == '|'
			if len(c.args) == 0 {
				l.fail("syntax", reason.Of(reason.Unreadable))
				return false
			}
			if l.pos < len(l.src) {
				l.pos++
			}
			if more && l.peek() == '|' {
				l.fail("operator", reason.Of(reason.Script, "text", l.src))
			}
			c.text = l.src[start:end]
			l.commands = append(l.commands, c)
			return more
		}
		if !l.nowhere(len(c.args) > 0) {
			c.args = append(c.args, l.argument())
		}
		end = l.pos
	}
	return false
}

// nowhere takes 2>$null, which sends the errors nowhere.
func (l *lexer) nowhere(named bool) bool {
	rest, ok := strings.CutPrefix(l.src[l.pos:], "2>")
	if !ok || !named {
		return false
	}
	rest = strings.TrimLeft(rest, " \t")
	const null = "$null"
	if len(rest) < len(null) || !strings.EqualFold(rest[:len(null)], null) || !separates(rest[len(null):]) {
		return false
	}
	l.pos = len(l.src) - len(rest) + len(null)
	return true
}

// argument reads a word, or several with commas between.
func (l *lexer) argument() argument {
	a := argument{tight: true}
	for l.problem.None() {
		a.items = append(a.items, l.word())
		if l.peek() != ',' {
			return a
		}
		l.pos++
		blank := l.pos
		l.skip(" \t")
		a.tight = a.tight && l.pos == blank
	}
	return a
}

// word reads one word up to a blank, a comma or the end of its command. A quoted
// text must end there too: what follows it at once would be looked up in it.
func (l *lexer) word() word {
	var w word
	switch c := l.peek(); {
	case c == '\'' || c == '"':
		w.text = l.quoted()
	case starts(l.src[l.pos:]):
		w.bare = true
		dashes := strings.HasPrefix(l.src[l.pos:], "--")
		for l.problem.None() && !separates(l.src[l.pos:]) && l.peek() != ',' {
			r, size := utf8.DecodeRuneInString(l.src[l.pos:])
			switch {
			case dashes && (r == '\'' || r == '"'):
				w.text += l.quoted()
				w.bare, w.mixed = false, true
			case plain(r):
				w.text += l.src[l.pos : l.pos+size]
				l.pos += size
			default:
				l.refuse()
			}
		}
	default:
		l.refuse()
	}
	if l.problem.None() && !separates(l.src[l.pos:]) && l.peek() != ',' {
		l.refuse()
	}
	return w
}

// quoted reads a quoted text. A doubled quote stands for itself.
func (l *lexer) quoted() string {
	quote := l.src[l.pos : l.pos+1]
	var text strings.Builder
	for l.pos++; ; {
		end := strings.Index(l.src[l.pos:], quote)
		if end < 0 {
			l.fail("syntax", reason.Of(reason.Unreadable))
			return ""
		}
		text.WriteString(l.src[l.pos : l.pos+end])
		l.pos += end + 1
		if !strings.HasPrefix(l.src[l.pos:], quote) {
			break
		}
		text.WriteString(quote)
		l.pos++
	}
	switch s := text.String(); {
	case quote == `"` && strings.Contains(s, "$"):
		l.fail("expansion", reason.Of(reason.FilledIn, "text", s))
	case strings.Contains(s, "\n"):
		l.fail("characters", reason.Of(reason.Unreadable))
	default:
		return s
	}
	return ""
}

// refuse names what a character that no word may hold would do.
func (l *lexer) refuse() {
	rest := l.src[l.pos:]
	piece := rest[:len(rest)-len(strings.TrimLeftFunc(rest, func(r rune) bool { return !unicode.IsSpace(r) }))]
	switch c := l.peek(); {
	case c == '$' || c == '@' || c == '%':
		l.fail("expansion", reason.Of(reason.FilledIn, "text", piece))
	case c == '(' || c == ')':
		l.fail("substitution", reason.Of(reason.RunsInside, "text", piece))
	case c == '{' || c == '}' || c == '&':
		l.fail("script", reason.Of(reason.Script, "text", l.src))
	case c == '>' || c == '<':
		l.fail("redirect", reason.Of(reason.Redirects, "text", piece))
	default:
		l.fail("syntax", reason.Of(reason.Unreadable))
	}
}

func (l *lexer) fail(rule string, why reason.Reason) {
	if l.problem.None() {
		l.problem = bash.Problem{Rule: rule, Reason: why}
	}
}

func (l *lexer) skip(chars string) {
	l.pos = len(l.src) - len(strings.TrimLeft(l.src[l.pos:], chars))
}

// peek is the next byte, 0 at the end.
func (l *lexer) peek() byte {
	if l.pos == len(l.src) {
		return 0
	}
	return l.src[l.pos]
}

// separates tells whether a word ends before this text.
func separates(rest string) bool {
	return rest == "" || strings.IndexByte(" \t\n;|", rest[0]) >= 0
}

// starts tells whether a bare word may begin like this text. A digit before >
// would be a redirect.
func starts(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsLetter(r) || r < utf8.RuneSelf && rest != "" && strings.IndexByte(`0123456789_-./\*?[~`, rest[0]) >= 0
}

// plain tells whether a character means itself inside a bare word.
func plain(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(`_-./\:=+*?[]~^!`, r)
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}
