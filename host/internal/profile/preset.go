package profile

import (
	"fmt"
	"slices"
	"strings"
)

// dropped are the plugins of the Harness's standard agent preset that a chat of
// ours does not have, by the end of their names: plan mode (ours is a permission
// preset), the agent's own questions (no place to answer them), and the scheduler
// (tasks are ours).
var dropped = []string{"/dsh-plan-mode", "/dsh-tool-ask-user", "/dsh-schedule", "/dsh-tool-schedule"}

// preset is an agent preset.
type preset struct {
	rows list
	// module is the plugin that declares presets as rows of the profile (from 0.1.7);
	// "" where a preset is a file of the home.
	module string
}

// declares ends the name of such a plugin.
const declares = "/dsh-agent-preset"

// readPreset reads a standard preset in either form: the rows themselves, or the row
// that declares them.
func readPreset(text []byte) (preset, error) {
	doc, err := parseYAML(text)
	if err != nil {
		return preset{}, err
	}
	rows, ok := doc.(list)
	if !ok {
		return preset{}, fmt.Errorf("not a list of rows")
	}
	for _, item := range rows {
		patch, _ := item.(mapping)
		inserted, _ := patch.get("insert").(list)
		for _, item := range inserted {
			row, _ := item.(mapping)
			name, _ := row.get("name").(string)
			config, _ := row.get("config").(mapping)
			if !strings.HasSuffix(name, declares) || config.get("id") != "standard" {
				continue
			}
			plugins, ok := config.get("plugins").(list)
			if !ok {
				return preset{}, fmt.Errorf("it declares no plugins")
			}
			return preset{plugins, name}, nil
		}
	}
	return preset{rows: rows}, nil
}

// ofDropped are the tools of the dropped plugins: the Harness refuses to start a helper
// whose row takes a tool from it that there is not (tools.restrict).
var ofDropped = map[string]bool{
	"exit_plan_mode": true, "ask_user_question": true,
	"schedule_create": true, "schedule_delete": true, "schedule_list": true, "schedule_update": true,
}

// The engines of workflows, and what waits for one: with it off the preset would not mount.
var (
	engines = []string{"dsh-workflow-worker-thread", "dsh-workflow-ptc"}
	waiting = []string{"dsh-tool-workflow", "dsh-tool-ralph"}
)

// plugin is the end of a row's name, without its package's scope.
func plugin(row mapping) string {
	name, _ := row.get("name").(string)
	return name[strings.LastIndexByte(name, '/')+1:]
}

// engineOff tells whether the person turned the workflows' engine off.
func engineOff(rows list, off []string) (found bool) {
	_, _ = mapRows(rows, func(row mapping) (mapping, bool) { // what is no row is told of below
		id, _ := row.get("id").(string)
		found = found || slices.Contains(engines, plugin(row)) && slices.Contains(off, id)
		return row, true
	})
	return found
}

// agentPreset makes our agent preset of the Harness's standard one: its rows
// without the dropped plugins and those that are off, with our compaction engine in
// the place of its own, and without groups that are left empty.
func agentPreset(s Settings) (preset, error) {
	fail := func(err error) (preset, error) { return preset{}, fmt.Errorf("standard agent preset: %w", err) }
	standard, err := readPreset(s.Standard)
	if err != nil {
		return fail(err)
	}
	found, engine, noWorkflows := map[string]bool{}, false, engineOff(standard.rows, s.Off)
	policies := policies(s)
	rows, err := mapRows(standard.rows, func(row mapping) (mapping, bool) {
		name, _ := row.get("name").(string)
		compacts := strings.HasSuffix(name, "/dsh-compaction-basic")
		engine = engine || compacts
		if id, _ := row.get("id").(string); slices.Contains(s.Off, id) {
			found[id] = true
			return nil, false
		}
		if slices.ContainsFunc(dropped, func(end string) bool { return strings.HasSuffix(name, end) }) {
			return nil, false
		}
		if noWorkflows && slices.Contains(waiting, plugin(row)) {
			return nil, false
		}
		config, _ := row.get("config").(mapping)
		if s.MaxHelpers > 0 && slices.Contains(engines, plugin(row)) {
			row = row.with("config", config.with("maxConcurrentAgents", int64(s.MaxHelpers)))
		}
		if filter, ok := config.get("toolFilter").(mapping); ok {
			row = row.with("config", withFilter(config, filter))
		}
		if compacts && policies != nil {
			row = row.with("config", config.with("modelPolicies", policies))
		}
		if s.Plugins.Shim != "" && compacts {
			row = row.with("id", "compaction-strata").with("name", join(s.Plugins.Shim, "compaction.mjs"))
		}
		if s.Plugins.Shim != "" && strings.HasSuffix(name, "/dsh-tool-web") {
			row = row.with("config", config.with("fetch", true)) // ours guards where pages lead
		}
		return row, true
	})
	if err != nil {
		return fail(err)
	}
	for _, id := range s.Off { // one that stayed on unseen would be worse
		if !found[id] {
			return fail(fmt.Errorf("it has no row %q that could be off", id))
		}
	}
	if len(rows) == 0 {
		return fail(fmt.Errorf("no rows"))
	}
	if s.Plugins.Shim != "" && !engine { // chats that fill up would be on their own unseen
		return fail(fmt.Errorf("it has no compaction engine (dsh-compaction-basic) in whose place ours could be"))
	}
	rows, err = askModels(s, rows)
	if err != nil {
		return fail(err)
	}
	return preset{rows, standard.module}, nil
}

// withFilter gives a helper row's config with its filter of tools, without those that
// there are not.
func withFilter(config, filter mapping) mapping {
	denied, ok := filter.get("deny").(list)
	if !ok {
		return config
	}
	denied = slices.DeleteFunc(slices.Clone(denied), func(tool any) bool { name, _ := tool.(string); return ofDropped[name] })
	if len(denied) > 0 || filter.get("allow") != nil {
		return config.with("toolFilter", filter.with("deny", denied))
	}
	return slices.DeleteFunc(slices.Clone(config), func(f field) bool { return f.key == "toolFilter" }) // an empty one is an error
}

// mapRows gives rows with each one changed or left out, in groups too.
func mapRows(rows list, change func(mapping) (mapping, bool)) (list, error) {
	out := make(list, 0, len(rows))
	for i, item := range rows {
		row, ok := item.(mapping)
		if !ok {
			return nil, fmt.Errorf("row %d is no mapping", i+1)
		}
		if inner, ok := row.get("config").(list); ok && row.get("group") == true {
			kept, err := mapRows(inner, change)
			if err != nil {
				return nil, fmt.Errorf("group %v: %w", row.get("id"), err)
			}
			if len(kept) == 0 {
				continue
			}
			row = row.with("config", kept)
		}
		if row, ok = change(row); ok {
			out = append(out, row)
		}
	}
	return out, nil
}
