package permit

import (
	"path"
	"slices"
	"strings"

	"strata.dev/bridge/plugins/gate/bash"
	"strata.dev/bridge/plugins/gate/place"
	"strata.dev/bridge/plugins/gate/reason"
)

// MaxPattern is how long one line of a pattern may be, in bytes.
const MaxPattern = 1000

// Pattern is a parsed pattern of one tool.
//
// Of a command it is the words: each the same, where "*" stands for one word and
// "**" at the end for any number of them, and a star inside a word for any
// characters but a slash. A star never stands for an option, for an address, or
// for a path that leads outside the project. Of a file tool it is a path, from the project's
// folder if it is relative: "*" stands for one name and "**" for folders below,
// neither for a hidden one. Of any other tool it is the tool's name, of a
// connected one also mcp__<server>__*.
type Pattern struct {
	tool  string
	words []bash.Word
	path  string
}

// Parse reads one line of a pattern for a tool (Tool's name for it). The reason
// says what is wrong with it.
func Parse(tool, line string) (Pattern, reason.Reason) {
	line = strings.TrimSpace(line)
	p := Pattern{tool: tool}
	bad := func(key string) (Pattern, reason.Reason) {
		return Pattern{}, reason.Of(key, "pattern", line)
	}
	switch {
	case line == "" || len(line) > MaxPattern || strings.ContainsAny(line, "\n\r\x00"):
		return bad(reason.PatternWrong)
	case tool == Shell || tool == PowerShell:
		if p.words = commandOf(tool, line); p.words == nil {
			return bad(reason.PatternCommand)
		}
		if !p.wordsStand() {
			return bad(reason.PatternWide)
		}
	case slices.Contains(fileTools, tool):
		if p.path = cleanPath(line); p.path == "" {
			return bad(reason.PatternPath)
		}
	case tool == "cmd": // its commands are not taken apart
		return bad(reason.PatternWrong)
	case tool == Web:
		if line != "*" {
			return bad(reason.PatternWrong)
		}
	case !names(tool, line):
		return bad(reason.PatternTool)
	default:
		p.tool = line
	}
	return p, reason.Reason{}
}

// wordsStand tells whether the stars of a command's pattern leave something that
// says what runs.
func (p Pattern) wordsStand() bool {
	for i, w := range p.words {
		switch {
		case !w.Glob:
		case i == 0, strings.ContainsAny(w.Text, "?["):
			return false
		case w.Text == "**" && i != len(p.words)-1, w.Text != "**" && strings.Contains(w.Text, "**"):
			return false
		case runs(p.tool, p.words) && !saysWhat(p.words[1]):
			return false
		}
	}
	return !changesShell(p.tool, p.words)
}

// saysWhat tells whether a runner's first word names what it runs.
func saysWhat(w bash.Word) bool {
	return !w.Glob && !strings.Contains(w.Text, "=") && strings.TrimLeft(w.Text, "0123456789.") != "" && !strings.HasPrefix(w.Text, "-")
}

// Covers tells whether a unit is one of those the pattern means. where must know
// the unit's real paths.
func (p Pattern) Covers(u Unit, where place.Place) bool {
	switch {
	case !u.Never(where).None():
		return false
	case len(u.Words) > 0:
		return p.tool == u.Tool && p.words != nil && coversWords(p.words, u.Words, where)
	case len(u.Files) > 0:
		return p.tool == u.Tool && p.path != "" && !slices.ContainsFunc(u.Files, func(file string) bool { return !p.coversFile(file, where) })
	case p.words != nil || p.path != "":
		return false
	}
	prefix, star := strings.CutSuffix(p.tool, "*")
	return p.tool == u.Tool || star && strings.HasPrefix(u.Tool, prefix) && len(u.Tool) > len(prefix)
}

func coversWords(pattern, words []bash.Word, where place.Place) bool {
	for i, w := range pattern {
		if w.Glob && w.Text == "**" {
			return !slices.ContainsFunc(words[i:], func(w bash.Word) bool { return !stands(w.Text, where) })
		}
		if i == len(words) || !coversWord(w, words[i].Text, where) {
			return false
		}
		if i == len(pattern)-1 {
			return len(words) == len(pattern)
		}
		if i == len(words)-1 { // only a "**" may still follow
			next := pattern[i+1]
			return next.Glob && next.Text == "**"
		}
	}
	return false
}

func coversWord(pattern bash.Word, word string, where place.Place) bool {
	if !pattern.Glob {
		return pattern.Text == word
	}
	if !fits(pattern.Text, word) {
		return false
	}
	return strings.HasPrefix(pattern.Text, "-") || stands(word, where)
}

// stands tells whether a star may stand for a word.
func stands(word string, where place.Place) bool {
	return word != "" && !strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "~") && !strings.Contains(word, "://") && where.Inside(word)
}

// fits matches a word with stars, which are the only thing special in it. A star
// alone may stand for a word with slashes in it.
func fits(pattern, word string) bool {
	if pattern == "*" {
		return true
	}
	head, rest, _ := strings.Cut(pattern, "*")
	if !strings.HasPrefix(word, head) {
		return false
	}
	word = word[len(head):]
	for {
		part, more, star := strings.Cut(rest, "*")
		if !star {
			return strings.HasSuffix(word, part) && !strings.Contains(strings.TrimSuffix(word, part), "/")
		}
		at := strings.Index(word, part)
		if at < 0 || strings.Contains(word[:at], "/") {
			return false
		}
		word, rest = word[at+len(part):], more
	}
}

// cleanPath is a path pattern as it is matched; "" when it is none.
func cleanPath(line string) string {
	line = strings.ReplaceAll(line, `\`, "/")
	if strings.HasPrefix(line, "~") || strings.ContainsAny(line, "?[{") || strings.HasSuffix(line, "/") {
		return ""
	}
	for i, name := range strings.Split(line, "/") {
		if name == ".." || name != "**" && strings.Contains(name, "**") {
			return ""
		}
		if i == 1 && strings.HasPrefix(line, "/") && strings.Contains(name, "*") {
			return "" // anywhere on the disk
		}
	}
	return path.Clean(line)
}

// coversFile matches the path that a file's word stands for.
func (p Pattern) coversFile(file string, where place.Place) bool {
	from := where
	from.CWD = where.Workspace
	pattern, abs := from.Abs(p.path), where.Abs(file)
	if where.Windows {
		pattern, abs = strings.ToLower(pattern), strings.ToLower(abs)
	}
	return pattern != "" && abs != "" && coversNames(strings.Split(pattern, "/"), strings.Split(abs, "/"))
}

func coversNames(pattern, names []string) bool {
	for len(pattern) > 0 && pattern[0] != "**" {
		if len(names) == 0 || !coversName(pattern[0], names[0]) {
			return false
		}
		pattern, names = pattern[1:], names[1:]
	}
	if len(pattern) == 0 {
		return len(names) == 0
	}
	for { // "**" stands for the folders so far
		if len(names) > 0 && len(pattern) == 1 && !slices.ContainsFunc(names, hidden) {
			return true
		}
		if len(pattern) > 1 && coversNames(pattern[1:], names) {
			return true
		}
		if len(names) == 0 || hidden(names[0]) {
			return false
		}
		names = names[1:]
	}
}

func coversName(pattern, name string) bool {
	if !strings.Contains(pattern, "*") {
		return pattern == name
	}
	return !(strings.HasPrefix(pattern, "*") && hidden(name)) && fits(pattern, name)
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// names tells whether a line names the tool, or all those of the tool's server.
func names(tool, line string) bool {
	prefix, star := strings.CutSuffix(line, "*")
	if !star {
		return line == tool && !strings.Contains(line, "*")
	}
	server, ok := strings.CutPrefix(strings.TrimSuffix(prefix, "__"), "mcp__")
	return ok && server != "" && !strings.ContainsAny(server, "*") && !strings.Contains(server, "__") &&
		prefix == "mcp__"+server+"__" && strings.HasPrefix(tool, prefix)
}
