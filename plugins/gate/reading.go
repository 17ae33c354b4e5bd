package gate

import (
	"strings"

	"strata.dev/bridge/plugins/gate/place"
	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/proto/abi"
)

// kind is what an argument of a looking tool may be.
type kind int

const (
	anyText  kind = iota
	number        // a JSON number
	boolean       // true or false
	onePath       // a path that is looked at
	deepPath      // a path below which everything is read
	names         // a file pattern, relative and not leading up: names are listed
	contents      // such a pattern; what it fits is read, hidden files too
)

// reader is a tool that only looks: the arguments it takes, and whether it reads
// the current folder when no path is given.
type reader struct {
	takes  map[string]kind
	deeply bool
}

// readers are the looking tools, by the Harness's argument names and by the
// plainer ones of other front ends.
var readers = map[string]reader{
	"read":       {takes: map[string]kind{"file_path": onePath, "path": onePath, "offset": number, "limit": number}},
	"read_image": {takes: map[string]kind{"file_path": onePath, "path": onePath}},
	"glob":       {takes: map[string]kind{"pattern": names, "path": onePath}},
	"grep": {deeply: true, takes: map[string]kind{
		"pattern": anyText, "path": deepPath, "include": contents, "case_insensitive": boolean,
	}},
	"job_output": {takes: map[string]kind{"job_id": anyText, "id": anyText, "wait": boolean, "timeout_ms": number}},
	"job_list":   {takes: map[string]kind{}},
}

// read judges a looking tool's arguments.
func read(call abi.GateCall, r reader, a arguments) finding {
	f := finding{rule: "tool:" + call.Tool}
	for key := range a.keys() {
		kind, known := r.takes[key]
		if !known || !a.is(key, kind, call.Platform) {
			return finding{rule: "tool:arguments", why: reason.Of(reason.Argument, "tool", call.Tool, "argument", key)}
		}
		text, _ := a.text(key)
		switch kind {
		case onePath, deepPath:
			f.paths = append(f.paths, path{Word: text, Deep: kind == deepPath})
		case contents:
			if place.PatternFitsSecret(text) {
				return finding{rule: "tool:path", why: reason.Of(reason.Secret, "path", text)}
			}
		}
	}
	if _, takesPath := r.takes["path"]; len(f.paths) == 0 && takesPath {
		f.paths = append(f.paths, path{Word: ".", Deep: r.deeply})
	}
	return f
}

// is tells whether an argument is of a kind.
func (a arguments) is(key string, kind kind, platform string) bool {
	text, isText := a.text(key)
	switch kind {
	case number:
		return a.number(key)
	case boolean:
		return a.boolean(key)
	case onePath, deepPath:
		return isText && !strings.HasPrefix(text, "~")
	case names, contents:
		stays := !strings.Contains(text, "..") && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "~")
		return isText && stays && (platform != "win32" || !strings.ContainsAny(text, `:\`))
	}
	return isText
}
