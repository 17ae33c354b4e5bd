package gate

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"strata.dev/bridge/plugins/gate/rules"
)

// given is one option of a rule: its name with its dashes, and how it takes a value.
type given struct {
	name, kind      string
	next, same, end bool // the value may be the next word; stand in the same word; only end a bundle
}

// optionsOf takes a rule's options apart, each letter of a bundle for itself.
func optionsOf(list string) (all []given) {
	for token := range strings.FieldsSeq(list) {
		name, g := token, given{}
		if i := strings.IndexAny(token, ":=>["); i > 0 && token != "-#" {
			name, g.kind = token[:i], strings.Trim(token[i+1:], "=]")
			g.next, g.same, g.end = token[i] != '[', token[i] != '>', token[i] == '>'
		}
		if g.name = name; strings.HasPrefix(name, "--") || len(name) == 2 || g.kind != "" {
			all = append(all, g)
			continue
		}
		for _, letter := range name[1:] {
			all = append(all, given{name: "-" + string(letter)})
		}
	}
	return all
}

// valuesOf are values of a kind, harmless ones first, then such that mean harm to
// some option of that kind.
func valuesOf(kind string) []string {
	switch kind {
	case "num", "width", "lines":
		return []string{"3", "1,2"}
	case "word", "group", "refs", "added":
		return []string{"x", "3", "remerge", "r", "%GS", "format:%GS", "signature", "x:.env"}
	case "text", "layout", "format", "pattern", "regex":
		return []string{"%h", "x", "/", ".env", "format:%GS", "touch ran", "-o", "|touch ran", "(x{1,999}){1,999}"}
	case "path", "rev", "input", "file", "named":
		return []string{"README.md", "HEAD", "keys/id_rsa", "3"}
	case "range":
		return []string{"1,2:README.md"}
	}
	if first, _, choice := strings.Cut(kind, "|"); choice {
		return []string{first, "x"}
	}
	return []string{kind, "x", "1"}
}

// forms are the ways to write an option with a value.
func (g given) forms(value string) (all []string) {
	value = quotedAs(value, 0)
	switch long := strings.HasPrefix(g.name, "--"); {
	case g.kind == "":
		return []string{g.name}
	case long:
		return []string{g.name + "=" + value, g.name + " " + value, g.name}
	}
	return []string{g.name + value, g.name + " " + value, g.name}
}

// optionLines are the rules' examples, each with each option of its rule: with
// values of each kind, attached, as the next word and left out; before the
// sub-command, before and behind the operands; in a bundle of two; and with -- at
// each place.
func optionLines() (lines []string) {
	for _, p := range rules.Builtin.All() {
		if slices.Contains([]string{"egrep", "fgrep", "fdfind"}, p.Name) {
			continue // other names of grep and fd
		}
		first := quotedExample(p.Name, p.Match[0])
		put := func(line, option string) {
			lines = append(lines, strings.Replace(line, p.Name, p.Name+" "+option, 1), line+" "+option)
			if words := strings.Fields(p.Operands); len(words) > 0 && words[0][0] == '=' { // before the sub-command, too
				lines = append(lines, p.Name+" "+option+strings.TrimPrefix(line, p.Name))
			}
		}
		for _, example := range p.Match {
			words := strings.Split(quotedExample(p.Name, example), " ")
			for at := 1; at <= len(words); at++ {
				lines = append(lines, strings.Join(slices.Insert(slices.Clone(words), at, "--"), " "))
			}
		}
		options := optionsOf(p.Options)
		for i, g := range options {
			for n, value := range valuesOf(g.kind) {
				for _, form := range g.forms(value) {
					put(first, form)
					if n == 0 && len(p.Match) > 1 {
						put(quotedExample(p.Name, p.Match[1+i%(len(p.Match)-1)]), form)
					}
				}
				if g.kind == "" {
					break
				}
			}
			lines = append(lines, bundles(p.Name, first, options, i)...)
		}
		for _, g := range optionsOf(p.Expression) {
			for _, value := range valuesOf(g.kind) {
				put(first, strings.TrimSpace(g.name+" "+quotedAs(value, 0)))
			}
		}
	}
	return lines
}

// bundles puts a letter in one word with those behind it: the next one, and all that
// take a value.
func bundles(program, line string, options []given, i int) (lines []string) {
	one := options[i]
	if len(one.name) != 2 || one.name == "-#" {
		return nil
	}
	behind := 0
	for j := range options {
		other := options[(i+1+j)%len(options)]
		if len(other.name) != 2 || other.name == "-#" || other.name == one.name {
			continue
		}
		if behind++; behind > 1 && other.kind == "" && one.kind == "" {
			continue
		}
		word := one.name + other.name[1:]
		lines = append(lines, program+" "+word+strings.TrimPrefix(line, program))
		for _, value := range []string{"3", "x"} {
			lines = append(lines, program+" "+word+" "+value+strings.TrimPrefix(line, program), program+" "+word+" "+value+" README.md")
		}
	}
	return lines
}

// A rule must say of each option whether it takes the next word, as its program
// does: else what seems to be a value is one more option, or the other way round.
// Each is run in front of a word that no program knows; who says the same as without
// it did not take that word. Git's take long, so they are looked at with
// STRATA_OPTIONS=all only.
func TestOptionsTakeWhatTheirProgramsTake(t *testing.T) {
	const unknown = "--strata-x"
	world := newWorld(t)
	tools, err := filepath.Abs(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	// Lists whatever follows; the last word takes the place of one that is missing.
	listing := []string{"--contains", "--no-contains", "--merged", "--no-merged"}
	looked := 0
	for _, p := range rules.Builtin.All() {
		words := strings.Fields(p.Name)
		if words[0] == "git" && os.Getenv("STRATA_OPTIONS") != "all" || p.Name == "git stash" || words[0] == "rg" || strings.HasPrefix(words[0], "fd") {
			continue // those of git stash are handed on; the others take no value that begins with a dash
		}
		if verb, fixed := strings.CutPrefix(strings.Split(p.Operands, " ")[0], "="); fixed && !strings.HasSuffix(verb, "?") {
			verb, _, _ = strings.Cut(verb, "|")
			words = append(words, verb)
		}
		if path := programIn(tools, words[0]); path == "" {
			continue
		} else {
			words[0] = path
		}
		if p.Name == "git rev-list" || p.Name == "git diff-tree" || p.Name == "git diff-index" {
			words = append(words, "HEAD")
		}
		say := func(more ...string) (line, all string) {
			return saysOf(t, world, tools, append(slices.Clone(words), more...), unknown)
		}
		base, _ := say(unknown)
		if base == "" {
			continue // says nothing of what it does not know
		}
		for _, g := range optionsOf(p.Options) {
			if g.name == "-#" || slices.Contains(listing, g.name) || p.Name == "getconf" && g.name == "-a" { // -a may have a path
				continue
			}
			looked++
			line, with := say(g.name, unknown)
			_, alone := say(g.name)
			switch took := line != base && (line != "" || with != alone && strings.HasPrefix(with, "ok")); {
			case took && !g.next:
				t.Errorf("%s: %s takes the next word: %s", p.Name, g.name, with)
			case line == base && g.next:
				t.Errorf("%s: %s does not take the next word: %s", p.Name, g.name, line)
			}
		}
	}
	if looked < 300 {
		t.Errorf("only %d options were looked at", looked)
	}
}

// programIn is where a program lies: in a folder, or on the machine.
func programIn(folder, name string) string {
	for _, dir := range []string{folder, "/usr/bin", "/bin"} {
		if path := filepath.Join(dir, name); filepath.Base(path) == name {
			if _, err := os.Stat(path); err == nil {
				return path
			}
		}
	}
	return ""
}

// saysOf runs a program and gives the line that names a word, and how it ended
// with the first line that it said.
func saysOf(t *testing.T, world, tools string, args []string, word string) (line, all string) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = filepath.Join(world, "repo"), worldEnviron(world, tools)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	all = "ok"
	if err := cmd.Run(); err != nil {
		all = err.Error()
	}
	for one := range strings.Lines(out.String()) {
		if strings.Contains(one, word) {
			line = strings.TrimSpace(one)
			break
		}
	}
	all, _, _ = strings.Cut(all+": "+out.String(), "\n")
	return line, all
}
