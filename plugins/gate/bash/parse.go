// Package bash takes a bash or sh command line apart into simple commands of
// plain words, or says why it cannot. What is shown and what is decided come
// from the same tree; nothing is ever printed back from it and run.
package bash

import (
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"strata.dev/bridge/plugins/gate/reason"
)

// Limits of what is looked at. A longer list is no longer looked at by people
// either (past fifty parts one gate's rules stopped looking); 64 KiB is far
// above any command that is typed.
const (
	MaxParts = 50
	MaxBytes = 64 << 10
)

// Problem is why something cannot be proven harmless: a stable rule name and a
// sentence. The zero Problem is none.
type Problem struct {
	Rule   string
	Reason reason.Reason
}

// None tells whether there is no problem.
func (p Problem) None() bool { return p.Rule == "" }

// Command is one simple command of a list or pipeline.
type Command struct {
	Text    string   // as it was written
	Words   []Word   // the program and its arguments; empty when Problem is set
	Piped   bool     // its input comes from the command before it, or from a file
	Reads   []string // files that are its input (< file)
	Problem Problem
}

// Word is one word with its quotes taken off.
type Word struct {
	Text string
	// Glob says that the word holds an unquoted file pattern, which stands for
	// names that only exist when it runs.
	Glob bool
}

// parsers saves a parser's buffers from one command to the next.
var parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }}

// Parse takes a command line apart. A Problem of the whole means that the
// commands, if any, tell nothing.
func Parse(src string) ([]Command, Problem) {
	if p := readable(src); !p.None() {
		return nil, p
	}
	parser := parsers.Get().(*syntax.Parser)
	file, err := parser.Parse(strings.NewReader(src), "")
	parsers.Put(parser)
	if err != nil {
		return nil, Problem{"bash:syntax", reason.Of(reason.Unreadable)}
	}
	w := walker{src: src, commands: make([]Command, 0, partsIn(src))}
	for _, s := range file.Stmts {
		w.stmt(s, false)
	}
	switch {
	case len(w.commands) == 0:
		return nil, Problem{"bash:empty", reason.Of(reason.Empty)}
	case len(w.commands) > MaxParts:
		return nil, Problem{"bash:parts", reason.Of(reason.TooManyParts, "max", strconv.Itoa(MaxParts))}
	}
	return w.commands, Problem{}
}

// readable refuses the texts on which this parser and real shells are known to
// differ, and characters that make a command look like another one.
func readable(src string) Problem {
	switch {
	case len(src) > MaxBytes:
		return Problem{"bash:length", reason.Of(reason.TooLong)}
	case strings.Contains(src, "\\\n"):
		// bash joins the lines before it looks for $( and ends a comment at the
		// line; the parser does neither.
		return Problem{"bash:continuation", reason.Of(reason.Continued)}
	case strings.HasSuffix(src, `\`):
		return Problem{"bash:continuation", reason.Of(reason.Continued)}
	case holdsUnusual(src):
		return Problem{"bash:characters", reason.Of(reason.Hidden)}
	}
	return Problem{}
}

func holdsUnusual(src string) bool {
	for i := range len(src) {
		switch c := src[i]; {
		case c >= 0x7F:
			return !utf8.ValidString(src[i:]) || strings.ContainsFunc(src[i:], unusual)
		case c < ' ' && c != '\n' && c != '\t':
			return true
		}
	}
	return false
}

func unusual(r rune) bool {
	if r < 0x7F {
		return r < ' ' && r != '\n' && r != '\t'
	}
	// Controls, invisible marks, and blanks that no shell takes for one.
	return unicode.In(r, unicode.C, unicode.Z)
}

// partsIn is a guess of how many commands a text holds, seldom too low.
func partsIn(src string) int {
	n := 1
	for i := range len(src) {
		switch src[i] {
		case ';', '|', '&', '\n':
			n++
		}
	}
	return min(n, MaxParts+1)
}

type walker struct {
	src      string
	commands []Command
	room     []Word // for words to come: many commands share one piece of memory
}

func (w *walker) stmt(s *syntax.Stmt, piped bool) {
	switch {
	case s.Background:
		w.refuse(s, "bash:background", reason.Of(reason.Background))
		return
	case s.Coprocess, s.Disown, s.Cmd == nil && len(s.Redirs) == 0:
		w.refuse(s, "bash:syntax", reason.Of(reason.Unreadable))
		return
	}
	var reads []string
	for _, r := range s.Redirs {
		file, p := w.redirect(s, r)
		if !p.None() {
			w.refuse(s, p.Rule, p.Reason)
			return
		}
		if file != "" {
			reads = append(reads, file)
		}
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		w.call(s, c, piped, reads)
	case *syntax.BinaryCmd:
		switch c.Op {
		case syntax.AndStmt, syntax.OrStmt:
			w.stmt(c.X, piped)
			w.stmt(c.Y, piped)
		case syntax.Pipe:
			w.stmt(c.X, piped)
			w.stmt(c.Y, true)
		default: // |& sends the errors along too
			w.refuse(s, "bash:pipe", reason.Of(reason.Redirects, "text", w.text(s)))
		}
	case *syntax.DeclClause:
		w.refuse(s, "bash:variable", reason.Of(reason.Variable, "text", w.text(s)))
	default: // loops, conditions, functions, groups, [[ ]], (( )), and what else may come
		w.refuse(s, "bash:script", reason.Of(reason.Script, "text", w.text(s)))
	}
}

func (w *walker) call(s *syntax.Stmt, c *syntax.CallExpr, piped bool, reads []string) {
	if len(c.Assigns) > 0 || len(c.Args) == 0 {
		w.refuse(s, "bash:variable", reason.Of(reason.Variable, "text", w.text(s)))
		return
	}
	if len(w.room) < len(c.Args) {
		w.room = make([]Word, max(len(c.Args), min(64, len(w.src)/4)))
	}
	words := w.room[:len(c.Args):len(c.Args)]
	w.room = w.room[len(c.Args):]
	for i, arg := range c.Args {
		var p Problem
		if words[i], p = w.word(arg); !p.None() {
			w.refuse(s, p.Rule, p.Reason)
			return
		}
	}
	w.commands = append(w.commands, Command{Text: w.text(s), Words: words, Piped: piped || reads != nil, Reads: reads})
}

func (w *walker) refuse(n syntax.Node, rule string, r reason.Reason) {
	w.commands = append(w.commands, Command{Text: w.text(n), Problem: Problem{rule, r}})
}

// text is a node as it was written, without the semicolon behind it.
func (w *walker) text(n syntax.Node) string {
	start, end := int(n.Pos().Offset()), int(n.End().Offset())
	if s, ok := n.(*syntax.Stmt); ok && s.Semicolon.IsValid() && !s.Background {
		end = int(s.Semicolon.Offset())
	}
	if start < 0 || end > len(w.src) || start > end {
		return w.src
	}
	return strings.TrimSpace(w.src[start:end])
}
