package profile

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
)

// Files are the generated files: content by path below the home, with slashes.
type Files map[string][]byte

// Where the files are, below the home.
const (
	ManifestFile   = "profiles/" + Name + "/package.json"
	PatchFile      = "profiles/" + Name + "/cordis.patch.yml"
	PresetFile     = ".agent-presets/" + Name + "/agent.cordis.yml"
	PresetMetaFile = ".agent-presets/" + Name + "/preset.yml"
)

const header = "# Written by Strata at every start. Your own changes belong into\n" +
	"# cordis.patch.yml and settings.yaml of the Harness's home, which are left alone.\n"

// Generate makes the files. It reads and writes nothing.
func Generate(s Settings) (Files, error) {
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("generating profile: %w", err)
	}
	preset, err := agentPreset(s)
	if err != nil {
		return nil, fmt.Errorf("generating profile: %w", err)
	}
	files := compose(s, preset)
	files[ManifestFile] = manifest(signature(compose(s.unaddressed(), preset)))
	return files, nil
}

// compose gives all files; the manifest is not signed.
func compose(s Settings, p preset) Files {
	files := Files{
		ManifestFile: manifest(""),
		PatchFile:    document(patch(s, p)),
	}
	if p.module == "" {
		files[PresetFile] = document(p.rows)
		files[PresetMetaFile] = document(presetMeta)
	}
	return files
}

// presetMeta is what a person reads of our preset where the Harness shows it.
var presetMeta = mapping{{"name", "Strata"}, {"description", "The standard agent; Strata asks, plans and schedules itself."}}

func document(value any) []byte { return append([]byte(header), renderYAML(value)...) }

// manifest is the profile's package.json: the two bundles of the Harness that
// serve a web client, and the signature of what is composed.
func manifest(signature string) []byte {
	type profile struct {
		Bundles []string `json:"bundles"`
	}
	type dsh struct {
		Profile profile `json:"profile"`
	}
	data, err := json.MarshalIndent(struct {
		Name         string   `json:"name"`
		Private      bool     `json:"private"`
		Dependencies struct{} `json:"dependencies"`
		DSH          dsh      `json:"dsh"`
		Strata       signed   `json:"strata"`
	}{"dsh-profile-" + Name, true, struct{}{}, dsh{profile{[]string{"@deepseek-ai/dsh-base", "@deepseek-ai/dsh-web-app"}}}, signed{signature}}, "", "  ")
	if err != nil {
		panic(err) // strings only
	}
	return append(data, '\n')
}

// patch gives the rows of the profile's patch layer. A row of the Harness's own
// is replaced with its whole config.
func patch(s Settings, preset preset) list {
	rows := list{row("permission", mapping{{"defaultPreset", "strata-manual"}, {"presets", permissions()}})}
	if preset.module == "" {
		rows = append(rows, row("agent-presets", mapping{{"default", Name}}))
	} else {
		declared := append(mapping{{"id", Name}}, presetMeta...)
		rows = append(rows, row("agent-preset-registry", mapping{{"default", Name}}), mapping{{"insert", list{
			mapping{{"id", "preset-" + Name}, {"name", preset.module}, {"config", append(declared, field{"plugins", preset.rows})}},
		}}})
	}
	if s.MaxHelpers > 0 && s.HelperLimit {
		rows = append(rows, row("subagent", mapping{{"maxActiveSubagents", s.mostHelpers()}}))
	}
	rows = append(rows,
		// It would send every first message to the model a second time.
		mapping{{"id", "session-title-llm"}, {"disabled", true}})
	if len(s.Providers) > 0 {
		providers := make(mapping, 0, len(s.Providers))
		for _, p := range s.Providers {
			providers = append(providers, field{p.ID, provider(p)})
		}
		first := s.Providers[0]
		rows = append(rows,
			row("llm-pi-ai", mapping{{"providers", providers}}),
			row("agent-default-model", mapping{{"provider", first.ID}, {"model", first.Models[0].ID}}))
	}
	if p := s.Plugins; p.Shim != "" {
		gate := mapping{{"wasm", p.Wasm}, {"sha256", p.SHA256}}
		if p.Store != "" {
			gate = append(gate, field{"store", p.Store})
		}
		if len(p.Secrets) > 0 {
			secrets := make(list, 0, len(p.Secrets))
			for _, s := range p.Secrets {
				secrets = append(secrets, s)
			}
			gate = append(gate, field{"secrets", secrets})
		}
		if p.Web != (Web{}) {
			gate = append(gate, field{"web", mapping{{"engine", p.Web.Engine}, {"skipAsk", p.Web.SkipAsk}}})
		}
		if s.MaxHelpers > 0 {
			gate = append(gate, field{"maxHelpers", int64(s.MaxHelpers)})
		}
		if by := s.helpersBy(); by != nil {
			gate = append(gate, field{"helpersBy", by})
		}
		rows = append(rows, selection(s)...)
		rows = append(rows, web(p)...)
		rows = append(rows, mapping{{"insert", list{
			mapping{{"id", "strata-fence"}, {"name", join(p.Shim, "fence.mjs")}},
			mapping{{"id", "strata-gate"}, {"name", join(p.Shim, "gate.mjs")}, {"config", gate}},
			mapping{{"id", "strata-models"}, {"name", join(p.Shim, "models.mjs")}, {"config", models(s)}},
			mapping{{"id", "strata-context"}, {"name", join(p.Shim, "context.mjs")}, {"config", contextRow(s)}},
			mapping{{"id", "strata-search"}, {"name", join(p.Shim, "search.mjs")}, {"config", search(p)}},
		}}})
	}
	return append(rows, servers(s)...)
}

// helpersBy are the providers whose chats may have another number of helpers at work.
func (s Settings) helpersBy() (by mapping) {
	for _, p := range s.Providers {
		if p.MaxHelpers > 0 && p.MaxHelpers != s.MaxHelpers {
			by = append(by, field{p.ID, int64(p.MaxHelpers)})
		}
	}
	return by
}

// mostHelpers is the largest number of them: the Harness has one for all chats, and the
// gate holds each to its own.
func (s Settings) mostHelpers() int64 {
	most := s.MaxHelpers
	for _, p := range s.Providers {
		most = max(most, p.MaxHelpers)
	}
	return int64(most)
}

// contextRow is the config of the context plugin's row: the longest reply of each route
// whose connection names one, since such a server takes none that is longer.
func contextRow(s Settings) mapping {
	config := mapping{{"wasm", s.Plugins.Wasm}, {"sha256", s.Plugins.SHA256}}
	var ceilings mapping
	for _, p := range s.Providers {
		for _, m := range p.Models {
			if m.MaxOutput > 0 {
				ceilings = append(ceilings, field{p.ID + "/" + m.ID, m.MaxOutput})
			}
		}
	}
	if ceilings != nil {
		config = append(config, field{"ceilings", ceilings})
	}
	return config
}

func row(id string, config mapping) mapping { return mapping{{"id", id}, {"config", config}} }

// permissions is the whole table: the shipped presets, which sessions of a person's
// own may stand in, and ours (design §4).
func permissions() mapping {
	preset := func(sandbox, approval string, more ...field) mapping {
		return append(mapping{{"sandbox", sandbox}, {"approval", approval}}, more...)
	}
	return mapping{
		{"read-only", preset("read-only", "ask")},
		{"workspace-write", preset("workspace-write", "ask")},
		{"danger-full-access", preset("danger-full-access", "never")},
		{"strata-manual", preset("danger-full-access", "ask", field{"name", "Manual"}, field{"description", "Strata asks before anything is changed."})},
		{"strata-plan", preset("read-only", "never", field{"name", "Plan"}, field{"description", "Nothing is changed."})},
		{"strata-bypass", preset("danger-full-access", "never", field{"name", "Bypass"}, field{"description", "Nothing is asked."})},
	}
}

// join joins with the separator that dir itself uses, on any system.
func join(dir, name string) string {
	if strings.Contains(dir, `\`) && !strings.HasPrefix(dir, "/") {
		return strings.TrimRight(dir, `\`) + `\` + name
	}
	return path.Join(dir, name)
}
