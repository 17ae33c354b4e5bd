package place

import (
	"strings"
	"unicode"
)

// devices are names that lead to a device on Windows wherever they stand and
// whatever ending they have.
var devices = map[string]bool{"con": true, "prn": true, "aux": true, "nul": true, "conin$": true, "conout$": true, "clock$": true}

// odd tells whether a Windows path (with forward slashes) may lead elsewhere than
// it looks: to a device, a stream of a file, through a name that Windows shortens
// or writes differently, or through characters that are patterns to it.
func odd(path string) bool {
	if len(path) > 1 && path[1] == ':' {
		path = path[2:]
	}
	if strings.ContainsAny(path, `:<>"|`) || strings.ContainsFunc(path, unicode.IsControl) {
		return true
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "" || segment == "." || segment == ".." {
			continue
		}
		last := segment[len(segment)-1]
		if last == '.' || last == ' ' || device(segment) || short(segment) {
			return true
		}
	}
	return false
}

// device tells whether a name is a device's.
func device(name string) bool {
	name, _, _ = strings.Cut(strings.ToLower(name), ".")
	name = strings.TrimRight(name, " ")
	if port, digit := strings.CutPrefix(name, "com"); digit && port != "" && strings.Trim(port, "0123456789¹²³") == "" {
		return true
	}
	if port, digit := strings.CutPrefix(name, "lpt"); digit && port != "" && strings.Trim(port, "0123456789¹²³") == "" {
		return true
	}
	return devices[name]
}

// short tells whether a name has the form of one that Windows made short, as
// PROGRA~1 or ENV~1.LOC: it stands for another.
func short(name string) bool {
	base, ending, _ := strings.Cut(name, ".")
	i := strings.LastIndexByte(base, '~')
	return i > 0 && len(base) <= 8 && len(ending) <= 3 && i+1 < len(base) && strings.Trim(base[i+1:], "0123456789") == ""
}

// lower folds the plain letters only. Two names that differ in other letters are
// taken for two, though Windows may know better.
func lower(s string) string {
	out := []byte(s)
	for i, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return string(out)
}

// invisible tells whether a character shows nothing: some disks leave it out of
// a name.
func invisible(r rune) bool { return unicode.Is(unicode.Cf, r) }
