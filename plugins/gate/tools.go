package gate

import (
	"strings"

	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/proto/abi"
)

// bookkeeping tools touch nothing but the agent's own notes and helpers; they
// never ask, in any mode.
var bookkeeping = map[string]bool{
	"todo_write": true, "get_goal": true, "create_goal": true, "update_goal": true, "list_agents": true,
	"list_subagent_models": true, "send_message": true, "interrupt_agent": true, "skill": true, "strata_status": true,
	"compress": true, "search_context": true, "decompress": true,
}

// reporting tools hand a helper's result to the agent that started it. Only a
// helper has them.
var reporting = map[string]bool{"report": true, "structured_output": true}

// ruleHelpers refuses one more helper than may be at work.
const ruleHelpers = "tool:helpers"

// startsHelper tells whether a tool starts a helper that works by itself.
func startsHelper(tool string) bool { return tool == "subagent" || tool == "subagent_fork" }

// delegation starts helpers, whose own calls are gated. Not workflow: its script
// is the assistant's own, and the Harness runs it in a vm that is no boundary, so
// that it can do whatever the Harness can. ralph runs a fixed script.
var delegation = map[string]bool{"subagent": true, "subagent_fork": true, "ralph": true}

// judge says what a call does, by its words alone.
func judge(call abi.GateCall, config abi.GateConfig) []finding {
	return judgeIn(new(room), call, config)
}

// judgeIn is judge for a caller that has room: what lies in it is gone.
func judgeIn(room *room, call abi.GateCall, config abi.GateConfig) []finding {
	a, ok := argumentsOf(call.Arguments)
	if !ok {
		if bookkeeping[call.Tool] && call.Tool != "decompress" || delegation[call.Tool] {
			return []finding{{rule: "tool:" + call.Tool}} // the Harness refuses it by itself
		}
		return one("tool:arguments", reason.BadCall, "tool", call.Tool)
	}
	if a.get("sandbox_permissions") != nil || a.get("justification") != nil {
		return one("tool:escalation", reason.Escalates, "justification", a.first("justification"))
	}
	switch name := call.Tool; {
	case name == "bash" || name == "sh":
		return shell("bash", a, false, room)
	case name == "pwsh" || name == "powershell":
		return shell("pwsh", a, call.Platform == "win32", room)
	case name == "cmd":
		return one("tool:"+name, reason.NotBash, "shell", name)
	case name == "decompress" && a.get("toFile") != nil:
		return touches(name, reason.WritesFile, a, "toFile")
	case bookkeeping[name], delegation[name]:
		return []finding{{rule: "tool:" + name}}
	case name == "workflow":
		return one("tool:workflow", reason.Workflow)
	case reporting[name] && call.Root != "" && call.Session != call.Root:
		return []finding{{rule: "tool:" + name}}
	case name == "web_search":
		return search(a, config.Web)
	case name == "web_fetch":
		return openPage(a, config.Web)
	case name == "write":
		return touches(name, reason.WritesFile, a, "file_path", "path")
	case name == "edit":
		return touches(name, reason.Edits, a, "file_path", "path")
	case name == "job_kill":
		return named(one("tool:job_kill", reason.StopsJob, "job", a.first("job_id", "id")))
	case strings.HasPrefix(name, "mcp__"):
		return connected(name, a)
	}
	if r, ok := readers[call.Tool]; ok {
		return []finding{read(call, r, a)}
	}
	return named(one("tool:unknown", reason.OtherTool, "tool", call.Tool))
}

// one is the finding of a call that is not look-only.
func one(rule, key string, pairs ...string) []finding {
	return []finding{{rule: rule, why: reason.Of(key, pairs...)}}
}

// named says that the use of the tool as a whole can be allowed in advance.
func named(f []finding) []finding {
	f[0].named = true
	return f
}

// touches is the finding of a tool that changes the file in one of its arguments.
func touches(tool, key string, a arguments, keys ...string) []finding {
	file := a.first(keys...)
	if file == "" {
		return one("tool:arguments", reason.BadCall, "tool", tool)
	}
	f := one("tool:"+tool, key, "file", file)
	f[0].file = file
	return f
}
