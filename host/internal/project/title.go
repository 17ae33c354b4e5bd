package project

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"strings"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// titles are the words for a tool, and the argument that fills their place.
var titles = map[string]struct{ key, argument string }{
	"bash":            {say.TitleRun, "command"},
	"read":            {say.TitleRead, "file_path"},
	"write":           {say.TitleWrite, "file_path"},
	"edit":            {say.TitleEdit, "file_path"},
	"read_image":      {say.TitleLookAt, "file_path"},
	"glob":            {say.TitleFind, "pattern"},
	"grep":            {say.TitleSearch, "pattern"},
	searchTool:        {say.TitleWeb, "queries"},
	pageTool:          {say.TitlePage, "url"},
	"skill":           {say.TitleSkill, "name"},
	"todo_write":      {say.TitleTasks, ""},
	"job_list":        {say.TitleJobs, ""},
	"job_output":      {say.TitleJobOutput, ""},
	"job_kill":        {say.TitleJobStop, ""},
	"get_goal":        {say.TitleGoal, ""},
	"create_goal":     {say.TitleGoalSet, "objective"},
	"update_goal":     {say.TitleGoalUpdate, ""},
	"send_message":    {say.TitleHelperWrite, ""},
	"interrupt_agent": {say.TitleHelperStop, ""},
	"list_agents":     {say.TitleHelpers, ""},
	"subagent":        {say.TitleHelperStart, "description"},
	"subagent_fork":   {say.TitleHelperStart, "description"},
	modelsTool:        {say.TitleModels, ""},
	"workflow":        {say.TitleWorkflow, ""},
	"ralph":           {say.TitleRepeat, ""},
}

// modelsTool lists the models for helpers.
const modelsTool = "list_subagent_models"

// maxTitle is how many characters a title has at most.
const maxTitle = 120

// title says in plain words what a call does. Its text is cut where it is long.
func title(tool, arguments, cwd string) chat.Sentence {
	t, ok := titles[tool]
	if !ok {
		return cut(otherTitle(tool))
	}
	if t.argument == "" {
		return say.Sentence(t.key)
	}
	value := argument(arguments, t.argument)
	if value == "" && tool == searchTool {
		value = argument(arguments, "query") // as an older tool has it
	}
	if t.argument == "file_path" {
		value = below(cwd, value)
	}
	if model := argument(arguments, "model"); model != "" && t.key == say.TitleHelperStart {
		return cut(say.Sentence(say.TitleHelperOn, "model", clipTitle(model), "what", cmp.Or(clipTitle(value), "…")))
	}
	return cut(say.Sentence(t.key, "what", cmp.Or(clipTitle(value), "…")))
}

func cut(s chat.Sentence) chat.Sentence {
	s.Text = clipTitle(s.Text)
	return s
}

// otherTitle names a tool that the table does not know: a connected one by its
// server, as mcp__server__tool, and one of the person's own by the name they gave.
func otherTitle(tool string) chat.Sentence {
	if rest, ok := strings.CutPrefix(tool, "mcp__"); ok {
		if server, name, ok := strings.Cut(rest, "__"); ok {
			return say.Sentence(say.TitleConnected, "tool", clipTitle(name), "server", clipTitle(strings.TrimPrefix(server, "custom-")))
		}
	}
	if tool == "" {
		return say.Sentence(say.TitleNoTool)
	}
	return say.Sentence(say.TitleOther, "tool", clipTitle(tool))
}

// argument is a text argument, or a list of texts, in one line.
func argument(arguments, name string) string {
	var args map[string]any
	if json.Unmarshal([]byte(arguments), &args) != nil {
		return ""
	}
	var words []string
	switch v := args[name].(type) {
	case string:
		words = append(words, v)
	case []any:
		for _, one := range v {
			if s, ok := one.(string); ok {
				words = append(words, s)
			}
		}
	}
	return strings.Join(strings.Fields(strings.Join(words, ", ")), " ")
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
