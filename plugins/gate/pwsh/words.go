package pwsh

import (
	"strings"

	"strata.dev/bridge/plugins/gate/bash"
)

// Words are the words of a line of one command, for a pattern; ok is false when it
// is more than that, or its words do not say all that it does.
func Words(line string, windows bool) (words []bash.Word, ok bool) {
	commands, problem := parse(line)
	if !problem.None() || len(commands) != 1 || strings.Contains(line, ">") {
		return nil, false
	}
	words = wordsOf(commands[0], windows)
	return words, words != nil
}

// wordsOf are the words of a command; nil where the same words could mean
// something else: a list, a quoted text that looks like a parameter, a drive of
// PowerShell's own (alias:, env:), a path with the other slash.
func wordsOf(c command, windows bool) []bash.Word {
	words := make([]bash.Word, len(c.args))
	for i, a := range c.args {
		w := a.items[0]
		switch {
		case len(a.items) > 1, i == 0 && !w.bare, w.text == "":
			return nil
		case !w.bare && dashed(w.text), !windows && strings.Contains(w.text, `\`), drive(w.text, windows):
			return nil
		}
		words[i] = bash.Word{Text: w.text, Glob: strings.ContainsAny(w.text, "*?[")} // cmdlets fill in quoted ones too
	}
	return words
}

// drive tells whether a word may name a drive other than a disk: whatever has a
// colon, but for an address, a colon before a blank (fix: typo) and, on Windows, a
// disk's letter.
func drive(word string, windows bool) bool {
	if windows && len(word) > 2 && word[1] == ':' && (word[2] == '\\' || word[2] == '/') {
		word = word[2:]
	}
	word = strings.Replace(strings.ReplaceAll(word, ": ", ""), "://", "", 1)
	return strings.Contains(word, ":")
}
