// Package permit says what a yes that was given in advance covers. A pattern is
// matched on what was parsed, never on the text a call was written in.
package permit

import (
	"slices"
	"strings"

	"strata.dev/bridge/plugins/gate/bash"
	"strata.dev/bridge/plugins/gate/place"
	"strata.dev/bridge/plugins/gate/reason"
)

// Unit is one thing that a call does: a simple command (Words), files that a file
// tool touches (Files), or the use of a tool as a whole (neither).
type Unit struct {
	Tool  string // Tool's name for it
	Words []bash.Word
	Files []string
	Told  []string // the texts that the tool as a whole was given
}

// fileTools are the tools whose pattern is a path.
var fileTools = []string{"write", "edit", "decompress", "read", "read_image", "glob", "grep"}

// Never tells why nothing given in advance can cover a unit, with the real paths
// that where knows; none when a pattern could.
func (u Unit) Never(where place.Place) reason.Reason {
	if len(u.Words) > 0 {
		if changesShell(u.Tool, u.Words) {
			return reason.Of(reason.ChangesShell, "program", u.Words[0].Text)
		}
		for _, w := range u.Words {
			if w.Glob {
				return reason.Of(reason.FilePattern, "program", u.Words[0].Text, "text", w.Text)
			}
		}
	}
	for _, file := range u.Files {
		if r := where.Forbidden(file); !r.None() {
			return r
		}
	}
	for _, text := range u.texts() {
		for _, p := range pathsIn(text) {
			// What is no path at all is none to a secret either.
			if r := where.Forbidden(p); !r.None() && where.Abs(p) != "" || r.Key == reason.Secret {
				return r
			}
		}
	}
	return reason.Reason{}
}

// texts are the words of a command, or what a tool was given.
func (u Unit) texts() []string {
	out := slices.Clone(u.Told)
	for _, w := range u.Words {
		out = append(out, w.Text)
	}
	return out
}

// Paths are what may be paths in a unit, as written: files, words, and what is
// glued to an option or to a name. Of the texts that a tool was given they are
// those without a blank.
func (u Unit) Paths() []string {
	out := slices.Clone(u.Files)
	for _, w := range u.Words {
		out = append(out, pathsIn(w.Text)...)
	}
	for _, text := range u.Told {
		if text != "" && !strings.ContainsAny(text, " \t\n") {
			out = append(out, text)
		}
	}
	return out
}

// separators part what may be a path from what it is glued to.
const separators = "=:,@;|&<>()'\"` \t\n\r"

func pathsIn(text string) []string {
	var out []string
	add := func(s string) {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	add(text)
	for _, piece := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		add(piece)
	}
	if strings.HasPrefix(text, "-") {
		if at := strings.IndexByte(text, '/'); at > 0 {
			add(text[at:])
		}
		add(strings.TrimLeft(text, "-"))
		if len(text) > 2 && text[1] != '-' {
			add(text[2:]) // a short option and its value
		}
	}
	return out
}
