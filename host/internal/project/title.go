package project

import (
	"encoding/json"
	"path/filepath"
	"strings"
)

// titles are the plain words for a tool, and the argument that follows them.
var titles = map[string]struct{ words, argument string }{
	"bash":            {"Run: ", "command"},
	"read":            {"Read ", "file_path"},
	"write":           {"Write ", "file_path"},
	"edit":            {"Edit ", "file_path"},
	"read_image":      {"Look at ", "file_path"},
	"glob":            {"Find files: ", "pattern"},
	"grep":            {"Search in files: ", "pattern"},
	"web_search":      {"Search the web: ", "query"},
	"web_fetch":       {"Open the web page ", "url"},
	"skill":           {"Use the skill ", "name"},
	"todo_write":      {"Update the task list", ""},
	"job_list":        {"List background commands", ""},
	"job_output":      {"Read a background command's output", ""},
	"job_kill":        {"Stop a background command", ""},
	"get_goal":        {"Look at the goal", ""},
	"create_goal":     {"Set a goal: ", "objective"},
	"update_goal":     {"Update the goal", ""},
	"send_message":    {"Write to a helper", ""},
	"interrupt_agent": {"Stop a helper", ""},
	"list_agents":     {"List the helpers", ""},
	"subagent":        {"Start a helper: ", "description"},
	"subagent_fork":   {"Start a helper: ", "description"},
	"workflow":        {"Run a workflow", ""},
	"ralph":           {"Repeat a task", ""},
}

// maxTitle is how many characters a title has at most.
const maxTitle = 120

// title says in plain words what a call does.
func title(tool, arguments, cwd string) string {
	t, ok := titles[tool]
	if !ok {
		return clipTitle(otherTitle(tool))
	}
	if t.argument == "" {
		return t.words
	}
	value := argument(arguments, t.argument)
	if value == "" {
		return strings.TrimRight(t.words, ": ")
	}
	if t.argument == "file_path" {
		value = below(cwd, value)
	}
	return clipTitle(t.words + value)
}

// otherTitle names a tool that the table does not know: a connected one by its
// server, as mcp__server__tool.
func otherTitle(tool string) string {
	if rest, ok := strings.CutPrefix(tool, "mcp__"); ok {
		if server, name, ok := strings.Cut(rest, "__"); ok {
			return "Use " + name + " of " + server
		}
	}
	if tool == "" {
		return "Answer a question"
	}
	return "Use " + tool
}

// argument is a text argument, in one line.
func argument(arguments, name string) string {
	var args map[string]any
	if json.Unmarshal([]byte(arguments), &args) != nil {
		return ""
	}
	s, _ := args[name].(string)
	return strings.Join(strings.Fields(s), " ")
}

// below shows a path inside dir relative to it.
func below(dir, path string) string {
	if dir == "" || !filepath.IsAbs(path) {
		return path
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return path
	}
	return rel
}

func clipTitle(s string) string {
	if r := []rune(s); len(r) > maxTitle {
		return string(r[:maxTitle-1]) + "…"
	}
	return s
}
