package gate

import (
	"strings"

	"strata.dev/bridge/plugins/gate/reason"
)

// connected judges a tool of an MCP server, mcp__<server>__<tool>. What a server
// says about its own tools proves nothing.
func connected(name string, a arguments) []finding {
	server, tool, _ := strings.Cut(strings.TrimPrefix(name, "mcp__"), "__")
	var f []finding
	switch {
	case server == "instructions" && tool != "":
		return []finding{{rule: "tool:instructions"}} // its answer is the person's own text
	case server == "browser" && strings.HasPrefix(tool, "browser_"):
		f = browser(tool, a)
	case server == "commands":
		f = one("tool:commands", reason.RunsCommand, "tool", tool)
	case strings.HasPrefix(server, "custom-"):
		f = one("tool:custom", reason.Connected, "server", strings.TrimPrefix(server, "custom-"), "tool", tool)
	default:
		f = one("tool:mcp", reason.Connected, "server", server, "tool", tool)
	}
	f[0].connected = true
	f[0].named = f[0].rule != "tool:arguments" && a.get("filename") == nil // what names a file is not covered by the tool's name
	return f
}

// browserLooks are the tools of the browser that only look at the open page, and
// the arguments they take.
var browserLooks = map[string]map[string]kind{
	"browser_snapshot":         {"selector": anyText, "target": anyText, "depth": number, "boxes": boolean},
	"browser_take_screenshot":  {"type": anyText, "element": anyText, "ref": anyText, "target": anyText, "fullPage": boolean, "raw": boolean},
	"browser_console_messages": {"level": anyText, "onlyErrors": boolean, "all": boolean},
	"browser_network_requests": {"includeStatic": boolean, "static": boolean, "requestBody": boolean, "requestHeaders": boolean, "filter": anyText},
	"browser_wait_for":         {"time": number, "text": anyText, "textGone": anyText},
	"browser_tab_list":         {},
}

// act is something that the browser does: its sentence, and the arguments that
// may say on what.
type act struct {
	key  string
	what []string
}

var (
	onPage      = []string{"element", "ref", "target", "selector"}
	browserActs = map[string]act{
		"browser_navigate":         {reason.OpensPage, []string{"url"}},
		"browser_navigate_back":    {reason.GoesBack, nil},
		"browser_navigate_forward": {reason.GoesForward, nil},
		"browser_click":            {reason.Clicks, onPage},
		"browser_type":             {reason.Types, []string{"text"}},
		"browser_press_key":        {reason.PressesKey, []string{"key"}},
		"browser_fill_form":        {reason.FillsForm, nil},
		"browser_select_option":    {reason.Selects, onPage},
		"browser_hover":            {reason.Hovers, onPage},
		"browser_drag":             {reason.Drags, []string{"startElement", "startRef", "startTarget"}},
		"browser_file_upload":      {reason.Uploads, []string{"paths"}},
		"browser_evaluate":         {reason.RunsScript, []string{"function", "code"}},
		"browser_run_code":         {reason.RunsScript, []string{"code", "filename"}},
		"browser_handle_dialog":    {reason.AnswersDialog, nil},
		"browser_resize":           {reason.Resizes, nil},
		"browser_close":            {reason.ClosesPage, nil},
		"browser_pdf_save":         {reason.BrowserSaves, []string{"filename"}},
		"browser_install":          {reason.InstallsBrowser, nil},
		"browser_tab_new":          {reason.OpensTab, []string{"url"}},
		"browser_tab_select":       {reason.SwitchesTab, nil},
		"browser_tab_close":        {reason.ClosesTab, nil},
	}
	tabActs = map[string]act{
		"new": browserActs["browser_tab_new"], "create": browserActs["browser_tab_new"],
		"select": browserActs["browser_tab_select"], "close": browserActs["browser_tab_close"],
	}
)

// browser judges a tool of the browser: looking is free, acting asks.
func browser(tool string, a arguments) []finding {
	const rule = "tool:browser"
	if tool == "browser_tabs" {
		action, _ := a.text("action")
		if action == "list" && len(a) == 1 {
			return []finding{{rule: rule}}
		}
		if does, ok := tabActs[action]; ok {
			return does.finding(rule, a)
		}
		return one(rule, reason.Connected, "server", "browser", "tool", tool)
	}
	takes, looks := browserLooks[tool]
	if !looks {
		if does, ok := browserActs[tool]; ok {
			return does.finding(rule, a)
		}
		return one(rule, reason.Connected, "server", "browser", "tool", tool)
	}
	if a.get("filename") != nil {
		return one(rule, reason.BrowserSaves, "what", a.first("filename"))
	}
	for key := range a.keys() {
		if kind, known := takes[key]; !known || !a.is(key, kind, "") {
			return one("tool:arguments", reason.Argument, "tool", tool, "argument", key)
		}
	}
	return []finding{{rule: rule}}
}

// finding fills an act's sentence; without a word on what, it says so.
func (d act) finding(rule string, a arguments) []finding {
	what := a.words(d.what...)
	if what == "" {
		what = "something that it does not name"
	}
	return one(rule, d.key, "what", what)
}
