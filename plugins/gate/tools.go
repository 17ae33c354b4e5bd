package gate

import (
	"strings"

	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/proto/abi"
)

// kind is what an argument of a reading tool may be.
type kind int

const (
	anyText   kind = iota
	number         // a JSON number
	boolean        // true or false
	onePath        // a path that is looked at
	deepPath       // a path below which everything is read
	fileGlobs      // a file pattern, relative and not leading up
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
	"glob":       {takes: map[string]kind{"pattern": fileGlobs, "path": onePath}},
	"grep": {deeply: true, takes: map[string]kind{
		"pattern": anyText, "path": deepPath, "include": fileGlobs, "case_insensitive": boolean,
	}},
	"job_output": {takes: map[string]kind{"job_id": anyText, "id": anyText, "wait": boolean, "timeout_ms": number}},
	"job_list":   {takes: map[string]kind{}},
}

// bookkeeping tools touch nothing but the agent's own notes and helpers; they
// never ask, in any mode.
var bookkeeping = map[string]bool{
	"todo_write": true, "get_goal": true, "create_goal": true, "update_goal": true, "list_agents": true,
	"list_subagent_models": true, "send_message": true, "interrupt_agent": true, "skill": true, "strata_status": true,
	"compress": true, "search_context": true, "decompress": true,
}

// delegation starts helpers, whose own calls are gated.
var delegation = map[string]bool{"subagent": true, "subagent_fork": true, "workflow": true, "ralph": true}

// judge says what a call does, by its words alone.
func judge(call abi.GateCall) []finding {
	one := func(rule, key string, pairs ...string) []finding {
		return []finding{{rule: rule, why: reason.Of(key, append(pairs, "tool", call.Tool)...)}}
	}
	a, ok := argumentsOf(call.Arguments)
	if !ok {
		return one("tool:arguments", reason.BadCall)
	}
	if a["sandbox_permissions"] != nil || a["justification"] != nil {
		return one("tool:escalation", reason.Escalates, "justification", a.first("justification"))
	}
	switch name := call.Tool; {
	case name == "bash" || name == "sh":
		return shell(a)
	case name == "pwsh" || name == "powershell" || name == "cmd":
		return one("tool:"+name, reason.NotBash, "shell", name)
	case name == "decompress" && a["toFile"] != nil:
		return one("tool:decompress", reason.WritesFile, "file", a.first("toFile"))
	case bookkeeping[name], delegation[name]:
		return []finding{{rule: "tool:" + name}}
	case name == "web_search":
		f := one("tool:web_search", reason.SearchWeb, "words", a.words("queries", "query"))
		f[0].free = true
		return f
	case name == "web_fetch":
		f := one("tool:web_fetch", reason.OpenPage, "address", a.first("url"))
		f[0].free = true
		return f
	case name == "write":
		return one("tool:write", reason.WritesFile, "file", a.first("file_path", "path"))
	case name == "edit":
		return one("tool:edit", reason.Edits, "file", a.first("file_path", "path"))
	case name == "job_kill":
		return one("tool:job_kill", reason.StopsJob, "job", a.first("job_id", "id"))
	case strings.HasPrefix(name, "mcp__"):
		server, tool, _ := strings.Cut(strings.TrimPrefix(name, "mcp__"), "__")
		return one("tool:mcp", reason.Connected, "server", server, "tool", tool)
	}
	if r, ok := readers[call.Tool]; ok {
		return []finding{read(call.Tool, r, a)}
	}
	return one("tool:unknown", reason.OtherTool)
}

// read judges a looking tool's arguments.
func read(name string, r reader, a arguments) finding {
	f := finding{rule: "tool:" + name}
	for _, key := range a.keys() {
		kind, known := r.takes[key]
		text, isText := a.text(key)
		ok := known
		switch kind {
		case anyText:
			ok = ok && isText
		case number:
			ok = ok && a.number(key)
		case boolean:
			ok = ok && a.boolean(key)
		case onePath, deepPath:
			ok = ok && isText && !strings.HasPrefix(text, "~")
			f.paths = append(f.paths, path{word: text, deep: kind == deepPath})
		case fileGlobs:
			ok = ok && isText && !strings.Contains(text, "..") && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "~")
		}
		if !ok {
			return finding{rule: "tool:arguments", why: reason.Of(reason.Argument, "tool", name, "argument", key)}
		}
	}
	if len(f.paths) == 0 && (r.deeply || r.takes["path"] != anyText) {
		f.paths = append(f.paths, path{word: ".", deep: r.deeply})
	}
	return f
}
