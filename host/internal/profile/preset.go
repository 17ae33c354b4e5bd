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

// agentPreset makes our agent preset of the Harness's standard one: its rows
// without the dropped plugins and those that are off, and without groups that are
// left empty.
func agentPreset(s Settings) (list, error) {
	doc, err := parseYAML(s.Standard)
	if err != nil {
		return nil, fmt.Errorf("standard agent preset: %w", err)
	}
	rows, ok := doc.(list)
	if !ok {
		return nil, fmt.Errorf("standard agent preset: not a list of rows")
	}
	found := map[string]bool{}
	rows, err = mapRows(rows, func(row mapping) (mapping, bool) {
		name, _ := row.get("name").(string)
		if id, _ := row.get("id").(string); slices.Contains(s.Off, id) {
			found[id] = true
			return nil, false
		}
		if slices.ContainsFunc(dropped, func(end string) bool { return strings.HasSuffix(name, end) }) {
			return nil, false
		}
		if s.MaxHelpers > 0 && strings.HasSuffix(name, "/dsh-workflow-worker-thread") {
			config, _ := row.get("config").(mapping)
			row = row.with("config", config.with("maxConcurrentAgents", int64(s.MaxHelpers)))
		}
		if s.Plugins.Shim != "" && strings.HasSuffix(name, "/dsh-tool-web") {
			config, _ := row.get("config").(mapping)
			row = row.with("config", config.with("fetch", true)) // ours guards where pages lead
		}
		return row, true
	})
	if err != nil {
		return nil, fmt.Errorf("standard agent preset: %w", err)
	}
	for _, id := range s.Off { // one that stayed on unseen would be worse
		if !found[id] {
			return nil, fmt.Errorf("standard agent preset: it has no row %q that could be off", id)
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("standard agent preset: no rows")
	}
	return rows, nil
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
