package profile

import (
	"bytes"
	"encoding/json"
	"strings"

	"strata.dev/bridge/host/internal/harness"
)

// AskModel is what the system prompt says about other models, so that every model
// reads it, whatever it makes of its tools.
const AskModel = `When the user wants another model to do something ("ask model X", "let X look at it"), or wants a subagent, call the subagent tool and ` +
	`pass the model's name as the user says it. Do not look for models with shell commands or in files: list_subagent_models tells which there are. ` +
	`Do not wait for a subagent with sleep or by looking again and again: its result comes by itself.`

const subagentTool = "/dsh-tool-subagent" // the end of its name

// askModels has a preset's rows say how other models are asked, where its agents have
// helpers, and has the Harness's own tool take a model where it can.
func askModels(s Settings, rows list) (list, error) {
	helpers := false
	rows, err := mapRows(rows, func(row mapping) (mapping, bool) {
		if name, _ := row.get("name").(string); strings.HasSuffix(name, subagentTool) {
			helpers = true
			if config, ok := row.get("config").(mapping); ok && s.ModelSelection {
				row = row.with("config", config.with("modelSelectionSettings", true))
			}
		}
		return row, true
	})
	if err != nil || !helpers || s.Plugins.Shim == "" {
		return rows, err
	}
	return mapRows(rows, func(row mapping) (mapping, bool) {
		if name, _ := row.get("name").(string); strings.HasSuffix(name, "/dsh-persona") {
			config, _ := row.get("config").(mapping)
			for _, part := range []string{"text", "suffix"} { // newer ones have a prefix and a suffix
				if text, ok := config.get(part).(string); ok {
					row = row.with("config", config.with(part, strings.TrimRight(text, "\n")+"\n\n"+AskModel))
				}
			}
		}
		return row, true
	})
}

// models is the config of the row that puts helpers on models.
func models(s Settings) mapping {
	routes := list{}
	for _, r := range s.Routes() {
		route := mapping{{"provider", r.Provider}, {"id", r.Model}, {"name", r.Name}, {"connection", r.Connection}, {"local", r.Local}}
		if r.ContextWindow > 0 {
			route = append(route, field{"contextWindow", r.ContextWindow})
		}
		if r.Images {
			route = append(route, field{"images", true})
		}
		if len(r.Efforts) > 0 {
			efforts := list{}
			for _, e := range r.Efforts {
				efforts = append(efforts, e)
			}
			route = append(route, field{"efforts", efforts})
		}
		if p := r.Price; p != nil {
			route = append(route, field{"price", mapping{{"input", p.Input}, {"output", p.Output}}})
		}
		routes = append(routes, route)
	}
	return mapping{{"wasm", s.Plugins.Wasm}, {"sha256", s.Plugins.SHA256}, {"routes", routes}}
}

// selection is the row by which newer Harnesses let helpers onto other models: all of
// the app's. None where the Harness has no such row.
func selection(s Settings) list {
	if !s.ModelSelection {
		return nil
	}
	allowed := list{}
	for _, r := range s.Routes() {
		allowed = append(allowed, mapping{{"provider", r.Provider}, {"model", r.Model}})
	}
	return list{row("subagent-model-selection-settings", mapping{{"enabled", true}, {"allowedModels", allowed}})}
}

// HasHelperLimit tells whether the component bounds a chat's helpers itself
// (maxActiveSubagents of the row "subagent").
func HasHelperLimit(c harness.Component) bool {
	data, err := readPackage(c, "dsh-subagent", "lib", "index.js")
	return err == nil && bytes.Contains(data, []byte("maxActiveSubagents"))
}

// HasModelSelection tells whether the component's own subagent tool can take a model:
// it then has the settings module that names the models it may take.
func HasModelSelection(c harness.Component) bool {
	data, err := readPackage(c, "dsh-tool-subagent", "package.json")
	var manifest struct {
		Exports map[string]json.RawMessage `json:"exports"`
	}
	return err == nil && json.Unmarshal(data, &manifest) == nil && manifest.Exports["./model-selection-settings"] != nil
}
