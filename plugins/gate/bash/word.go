package bash

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"strata.dev/bridge/plugins/gate/reason"
)

// word takes the quotes off a word that is the same text whenever it runs.
func (w *Walker) word(word *syntax.Word) (Word, Problem) {
	if plain, ok := bare(word); ok {
		return plain, Problem{}
	}
	return w.composed(word)
}

// composed is word for one that is not bare.
func (w *Walker) composed(word *syntax.Word) (Word, Problem) {
	var out Word
	var text strings.Builder
	raw := w.text(word)
	for i, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			p := unquoted(part.Value, raw, i == 0, &text, &out.Glob)
			if !p.None() {
				return Word{}, p
			}
		case *syntax.SglQuoted:
			if part.Dollar {
				return Word{}, Problem{"bash:backslash", reason.Of(reason.Backslash, "text", raw)}
			}
			text.WriteString(part.Value)
		case *syntax.DblQuoted:
			if part.Dollar {
				return Word{}, Problem{"bash:expansion", reason.Of(reason.FilledIn, "text", raw)}
			}
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return Word{}, expansion(inner, raw)
				}
				doubleQuoted(lit.Value, &text)
			}
		default:
			return Word{}, expansion(part, raw)
		}
	}
	out.Text = text.String()
	return out, Problem{}
}

// bare is a word of one part that means what it says, as most words are.
func bare(word *syntax.Word) (Word, bool) {
	if len(word.Parts) != 1 {
		return Word{}, false
	}
	switch part := word.Parts[0].(type) {
	case *syntax.Lit:
		return literal(part.Value)
	case *syntax.SglQuoted:
		return Word{Text: part.Value}, !part.Dollar
	case *syntax.DblQuoted:
		if part.Dollar || len(part.Parts) != 1 {
			return Word{}, false
		}
		lit, ok := part.Parts[0].(*syntax.Lit)
		if !ok || strings.IndexByte(lit.Value, '\\') >= 0 {
			return Word{}, false
		}
		return Word{Text: lit.Value}, true
	}
	return Word{}, false
}

// literal is unquoted text in which at most a file pattern is special.
func literal(value string) (w Word, ok bool) {
	for i := range len(value) {
		switch value[i] {
		case '\\', '~', '{', '$', '`':
			return Word{}, false
		case '*', '?', '[':
			w.Glob = true
		}
	}
	w.Text = value
	w.Glob = w.Glob && value != "[" // the name of test: a bracket that nothing closes
	return w, true
}

// expansion names what a part of a word that is no plain text does.
func expansion(part syntax.WordPart, raw string) Problem {
	switch part.(type) {
	case *syntax.CmdSubst, *syntax.ProcSubst:
		return Problem{"bash:substitution", reason.Of(reason.RunsInside, "text", raw)}
	}
	return Problem{"bash:expansion", reason.Of(reason.FilledIn, "text", raw)}
}

// unquoted writes a literal's meaning: a backslash goes and what follows stays.
// Before a letter, a digit or an option's punctuation a backslash only hides,
// so it is refused there.
func unquoted(value, raw string, first bool, text *strings.Builder, glob *bool) Problem {
	if first && strings.HasPrefix(value, "~") || strings.Contains(value, "=~") || strings.Contains(value, ":~") {
		return Problem{"bash:home", reason.Of(reason.Home, "text", raw)}
	}
	for i := 0; i < len(value); i++ {
		switch c := value[i]; c {
		case '\\':
			i++
			if i == len(value) || !strings.ContainsRune(` !"#$%&'()*,:;<>?@[\]^{|}~`+"`", rune(value[i])) {
				return Problem{"bash:backslash", reason.Of(reason.Backslash, "text", raw)}
			}
			text.WriteByte(value[i])
		case '*', '?', '[':
			*glob = true
			text.WriteByte(c)
		case '{':
			if unfolds(value[i:]) {
				return Problem{"bash:braces", reason.Of(reason.Braces, "text", raw)}
			}
			text.WriteByte(c)
		case '$', '`':
			return Problem{"bash:expansion", reason.Of(reason.FilledIn, "text", raw)}
		default:
			text.WriteByte(c)
		}
	}
	return Problem{}
}

// unfolds tells whether bash may make several words of a text that begins with
// a brace. Only {text} without comma, range or further brace is surely left alone.
func unfolds(value string) bool {
	inner, _, closed := strings.Cut(value[1:], "}")
	return !closed || strings.ContainsAny(inner, `,{\`) || strings.Contains(inner, "..")
}

// doubleQuoted writes the meaning of a literal inside double quotes, where a
// backslash is one unless it stands before one of four characters.
func doubleQuoted(value string, text *strings.Builder) {
	for i := 0; i < len(value); i++ {
		if value[i] == '\\' && i+1 < len(value) && strings.IndexByte("\\\"$`", value[i+1]) >= 0 {
			i++
		}
		text.WriteByte(value[i])
	}
}
