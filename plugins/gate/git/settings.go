// Package git tells whether git's reading commands are harmless in a repository:
// whether its settings start programs, and whether it really is the repository of
// the folder it is used in. It does no I/O; a host side gathers the facts.
package git

import (
	"errors"
	"strings"
)

// setting is one line of git's effective settings. Git gives a section and the
// last part of a key in lower case; the name between them is as it was written.
type setting struct {
	scope, file string
	section     string // core
	name        string // of a diff driver, a remote, …; "" when there is none
	key         string // fsmonitor
	value       string
}

// effective keeps the last value of each setting: the one that git goes by.
func effective(settings []setting) []setting {
	last := map[string]int{}
	for i, s := range settings {
		last[s.full()] = i
	}
	var out []setting
	for i, s := range settings {
		if last[s.full()] == i {
			out = append(out, s)
		}
	}
	return out
}

// full is a setting's name as git writes it.
func (s setting) full() string {
	if s.name == "" {
		return s.section + "." + s.key
	}
	return s.section + "." + s.name + "." + s.key
}

// own tells whether a setting is the person's: from their account, the machine
// or the environment, not from the folder.
func (s setting) own() bool { return s.scope != "local" && s.scope != "worktree" }

// off tells whether a value is a boolean or a number and so names no program.
func (s setting) off() bool {
	switch strings.ToLower(s.value) {
	case "", "true", "false", "yes", "no", "on", "off":
		return true
	}
	return strings.Trim(s.value, "0123456789") == ""
}

var errListing = errors.New("git's settings cannot be read")

// parse reads what git config --list -z --show-scope --show-origin prints:
// scope, origin and key with value, each closed by a zero byte. A key without a
// value stands alone; it is true.
func parse(listing []byte) ([]setting, error) {
	if len(listing) == 0 {
		return nil, nil
	}
	fields := strings.Split(string(listing), "\x00")
	if last := len(fields) - 1; fields[last] != "" || last%3 != 0 {
		return nil, errListing
	}
	settings := make([]setting, 0, len(fields)/3)
	for i := 0; i+2 < len(fields); i += 3 {
		s := setting{scope: fields[i]}
		s.file, _ = strings.CutPrefix(fields[i+1], "file:")
		if s.file == fields[i+1] {
			s.file = "" // the command line, standard input, a blob
		}
		key, value, given := strings.Cut(fields[i+2], "\n")
		if s.value = value; !given {
			s.value = "true"
		}
		first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
		if first <= 0 || last == len(key)-1 {
			return nil, errListing
		}
		s.section, s.key = strings.ToLower(key[:first]), strings.ToLower(key[last+1:])
		if last > first {
			s.name = key[first+1 : last]
		}
		settings = append(settings, s)
	}
	return settings, nil
}
