package gate

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"strata.dev/bridge/plugins/gate/rules"
)

// mutator makes command lines that nobody wrote: the corpus and the examples of
// the rules, changed at random. The same seed gives the same lines.
type mutator struct {
	r     *rand.Rand
	lines []string
	words map[string][]string // of all lines that begin with a program
}

// hostile are words and pieces that make a harmless command do something.
var hostile = []string{
	"-o", "out", "--output=zz", "--output", "-w", "-i", "-exec", "-delete", "-ok", "--ext-diff", "--textconv", "-x", "--pre=./x", "-f", "-F", "-R", "-C", "-c",
	"core.fsmonitor=./x", "--open-files-in-pager=./x", "-O./x", "--", "-", "+1f", "@x", "=x", "~", "*", "*.go", "-*", "[a-z]*", "?", "{a,b}", "$HOME", "$(touch p)",
	"`touch p`", "<(touch p)", ">p", ">>p", "2>p", ">/dev/null", "2>&1", "<f", "<<x", "&", "p=1", "PATH=.", "env", "sudo", "xargs", "sh", "-e", "!", "#", "\\", "\\\n", "\r",
	"\u00a0", "\u200b", "–o", "．", "\t", "w p", "1e", "s/a/b/w p", "system(1)", "{print>\"p\"}", "|\"sh\"", "input", "env", "$ENV", "HEAD", "main..HEAD", "stash@{0}",
	"v9", "--help", "--version", "-9", "-1", "0", "1K", "/etc/passwd", "../x", "a/../../x", ".git/config", "x -> y", "--files0-from=x", "--compress-program=./x", "-T.", "-S1",
}

var joins = []string{"; ", " && ", " || ", " | ", "\n", " |& ", " & ", ";;", "\n\n"}

func newMutator(t testing.TB, seed uint64) *mutator {
	m := &mutator{r: rand.New(rand.NewPCG(seed, 7)), words: map[string][]string{}}
	for _, row := range corpus(t) {
		if row.Shell == "bash" {
			m.lines = append(m.lines, row.Command)
		}
	}
	for _, p := range rules.Builtin.All() {
		for _, example := range slices.Concat(p.Match, p.NotMatch) {
			m.lines = append(m.lines, quotedExample(p.Name, example))
		}
		for option := range strings.FieldsSeq(p.Options + " " + p.Expression) {
			option = strings.TrimRight(strings.NewReplacer("[", "", "]", "").Replace(option), "=:")
			m.words[program(p.Name)] = append(m.words[program(p.Name)], option)
		}
	}
	for _, line := range m.lines {
		words := strings.Split(line, " ")
		m.words[words[0]] = append(m.words[words[0]], words[1:]...)
	}
	return m
}

// program is the word that a rule's name begins with.
func program(name string) string {
	first, _, _ := strings.Cut(name, " ")
	return first
}

// quotedExample writes an example of a rule, whose words are separated by blanks,
// as a shell takes it.
func quotedExample(name, example string) string {
	var out []string
	for w := range strings.FieldsSeq(example) {
		if w == "@" && out == nil {
			w = name
		}
		out = append(out, quotedAs(w, 0))
	}
	return strings.Join(out, " ")
}

func (m *mutator) pick(from []string) string { return from[m.r.IntN(len(from))] }

// next is one line: mostly one or two changes away from one that somebody wrote.
func (m *mutator) next() string {
	line := m.pick(m.lines)
	for range 1 + m.r.IntN(3) {
		line = m.change(line)
	}
	return line
}

func (m *mutator) change(line string) string {
	words := strings.Split(line, " ")
	at := m.r.IntN(len(words))
	put := func(w string) string { return strings.Join(slices.Insert(words, at+m.r.IntN(2), w), " ") }
	switch m.r.IntN(14) {
	case 0:
		return strings.Join(slices.Delete(words, at, at+1), " ")
	case 1:
		return put(words[at])
	case 2:
		other := m.r.IntN(len(words))
		words[at], words[other] = words[other], words[at]
	case 3, 4, 5: // what the same program was given elsewhere
		if own := m.words[words[0]]; len(own) > 0 {
			return put(m.pick(own))
		}
	case 6:
		return put(m.pick(hostile))
	case 7:
		words[at] = m.pick(hostile)
	case 8:
		words[at] = quotedAs(words[at], m.r.Uint64N(5))
	case 9:
		i := m.r.IntN(len(words[at]) + 1)
		words[at] = words[at][:i] + m.pick([]string{`\`, `"`, `'`, "=", ":", "/", "*", "-", "~", "$", "{", "}", "\x00", "\x1b"}) + words[at][i:]
	case 10:
		return line + m.pick(joins) + m.pick(m.lines)
	case 11:
		return m.pick(m.lines) + m.pick(joins) + line
	case 12: // two bundles become one, an option loses its end
		if at > 0 && strings.HasPrefix(words[at], "-") && !strings.HasPrefix(words[at], "--") {
			words[at] += m.pick([]string{"o", "i", "f", "x", "e", "w", "c", "C", "R", "0", "z"})
		} else if len(words[at]) > 4 {
			words[at] = words[at][:len(words[at])-1-m.r.IntN(3)]
		}
	case 13:
		words[at] = strings.NewReplacer("=", " ", ":", "=").Replace(words[at])
	}
	return strings.Join(words, " ")
}
