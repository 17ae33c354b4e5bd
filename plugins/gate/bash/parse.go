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
func Parse(src string) (commands []Command, p Problem) {
	p = new(Walker).Walk(src, func(c *Command) { commands = append(commands, *c) })
	return commands, p
}

// Walk is Parse for a caller that makes something else of each command at once. The
// Command itself is good until visit returns, its words until the next Walk.
func (w *Walker) Walk(src string, visit func(*Command)) Problem {
	if p := readable(src); !p.None() {
		return p
	}
	parser := parsers.Get().(*syntax.Parser)
	file, err := parser.Parse(strings.NewReader(src), "")
	parsers.Put(parser)
	if err != nil {
		return Problem{"bash:syntax", reason.Of(reason.Unreadable)}
	}
	if w.src, w.visit, w.visited, w.taken = src, visit, 0, 0; len(w.room) > maxRoom {
		w.room = nil
	}
	for _, s := range file.Stmts {
		w.stmt(s, false)
	}
	switch {
	case w.visited == 0:
		return Problem{"bash:empty", reason.Of(reason.Empty)}
	case w.visited > MaxParts:
		return Problem{"bash:parts", reason.Of(reason.TooManyParts, "max", strconv.Itoa(MaxParts))}
	}
	return Problem{}
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
		if c := src[i]; c-' ' < 0x7F-' ' || c == '\n' || c == '\t' {
			continue
		} else if c < ' ' {
			return true
		}
		return !utf8.ValidString(src[i:]) || strings.ContainsFunc(src[i:], unusual)
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

// Walker keeps the memory that one command line needed for the next one. The zero
// Walker is ready.
type Walker struct {
	src     string
	visit   func(*Command)
	visited int
	command Command // that is visited
	room    []Word  // for the words of all commands
	taken   int     // of room
}

// found hands on the command. Past MaxParts nobody looks.
func (w *Walker) found() {
	if w.visited++; w.visited <= MaxParts {
		w.visit(&w.command)
	}
}

// words are n more words of the room.
func (w *Walker) words(n int) []Word {
	if len(w.room)-w.taken < n {
		// What was handed out of the old one stays where it is.
		w.room, w.taken = make([]Word, max(n, min(2*len(w.room), maxRoom), min(64, len(w.src)/4))), 0
	}
	w.taken += n
	return w.room[w.taken-n : w.taken : w.taken]
}

// maxRoom is how many words a Walker keeps room for.
const maxRoom = 512

func (w *Walker) stmt(s *syntax.Stmt, piped bool) {
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

func (w *Walker) call(s *syntax.Stmt, c *syntax.CallExpr, piped bool, reads []string) {
	if len(c.Assigns) > 0 || len(c.Args) == 0 {
		w.refuse(s, "bash:variable", reason.Of(reason.Variable, "text", w.text(s)))
		return
	}
	words := w.words(len(c.Args))
	for i, arg := range c.Args {
		var plain bool
		if words[i], plain = bare(arg); plain {
			continue
		}
		var p Problem
		if words[i], p = w.composed(arg); !p.None() {
			w.refuse(s, p.Rule, p.Reason)
			return
		}
	}
	w.command = Command{Text: w.text(s), Words: words, Piped: piped || reads != nil, Reads: reads}
	w.found()
}

func (w *Walker) refuse(n syntax.Node, rule string, r reason.Reason) {
	w.command = Command{Text: w.text(n), Problem: Problem{rule, r}}
	w.found()
}

// text is a node as it was written, without the semicolon behind it.
func (w *Walker) text(n syntax.Node) string {
	start, end := int(n.Pos().Offset()), int(n.End().Offset())
	if s, ok := n.(*syntax.Stmt); ok && s.Semicolon.IsValid() && !s.Background {
		end = int(s.Semicolon.Offset())
	}
	if start < 0 || end > len(w.src) || start > end {
		return w.src
	}
	return strings.TrimSpace(w.src[start:end])
}
