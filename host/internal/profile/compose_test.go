package profile

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/harness"
	"strata.dev/bridge/host/internal/harness/harnesstest"
)

// atOnce is how many Harnesses compose at a time: each is a Node start of its own.
var atOnce = make(chan struct{}, 2)

// Every golden profile of this generation is composed by the real Harness with its own
// preset, and each of its rows lands; with the plugins, where it has them, where they are
// here it runs, gives a session with our preset and offers its models.
func TestEachProfileLands(t *testing.T) {
	standard, err := ReadStandard(harnesstest.Component(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(cases())) {
		s := cases()[name]
		if string(s.Standard) != small || s.ModelSelection {
			continue // another generation's
		}
		s.Standard = standard
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			atOnce <- struct{}{}
			defer func() { <-atOnce }()
			cfg := config(t)
			if name == "windows" { // such paths can be composed here, but not run
				files := generate(t, s)
				if _, err := files.Write(cfg.Home); err != nil {
					t.Fatal(err)
				}
				dump, warnings, err := harness.DumpConfig(t.Context(), cfg)
				if err != nil || warnings != "" {
					t.Fatalf("%v, warnings %q", err, warnings)
				}
				const file = "checking profile: rows did not land: compaction-strata of the agent preset has a plugin that is not there"
				if err := files.Check(dump, cfg); err == nil || err.Error() != file {
					t.Errorf("%v, want only what is a file: %s", err, file)
				}
			}
			if s.Plugins.Shim != "" {
				here := real(t, cfg.Home, "http://127.0.0.1:9/v1").Plugins
				here.Web, here.Search = s.Plugins.Web, s.Plugins.Search
				s.Plugins = here
			}
			files := generate(t, s)
			if _, err := files.Write(cfg.Home); err != nil {
				t.Fatal(err)
			}
			dump, warnings, err := harness.DumpConfig(t.Context(), cfg)
			if err != nil || warnings != "" {
				t.Fatalf("%v, warnings %q", err, warnings)
			}
			if err := files.Check(dump, cfg); err != nil {
				t.Error(err)
			}
			p, err := harness.Start(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := p.Stop(context.Background()); err != nil {
					t.Error(err)
				}
			}()
			if diff := cmp.Diff(routes(s), offers(t, p)); diff != "" {
				t.Errorf("models (-want +got):\n%s", diff)
			}
		})
	}
}

// offered is a model as the Harness offers it.
type offered struct {
	Group, Name string
	Efforts     []string
}

// routes are the models of a profile, as the Harness is to offer them.
func routes(s Settings) map[string]offered {
	want := map[string]offered{}
	for _, r := range s.Routes() {
		want[r.ID] = offered{r.Connection, r.Name, r.Efforts}
		if r.Provider == "deepseek" { // Provider.WantsReasoning
			want[r.ID] = offered{r.Connection, r.Name, []string{"high"}}
		}
	}
	return want
}

// offers are the models that a session with our preset can have, but for the Harness's own,
// which have no key.
func offers(t *testing.T, p *harness.Process) map[string]offered {
	t.Helper()
	var session struct{ SessionID, AgentPreset string }
	harnesstest.Call(t, p, "session.create", map[string]any{"cwd": harnesstest.Dir(t), "agentPreset": Name}, &session)
	if session.AgentPreset != Name {
		t.Errorf("a session has the preset %q", session.AgentPreset)
	}
	var models struct {
		Groups []struct {
			ID, Name string
			Models   []struct {
				ID, Name  string
				Reasoning struct{ Efforts []struct{ ID string } }
			}
		}
	}
	harnesstest.Call(t, p, "session.models", map[string]any{"sessionId": session.SessionID}, &models)
	got := map[string]offered{}
	for _, g := range models.Groups {
		if g.ID == "deepseek-official" {
			continue
		}
		for _, m := range g.Models {
			o := offered{Group: g.Name, Name: m.Name}
			for _, e := range m.Reasoning.Efforts {
				o.Efforts = append(o.Efforts, e.ID)
			}
			got[g.ID+"/"+m.ID] = o
		}
	}
	return got
}

// others are the rows of a patch that do not say where presets are.
func others(t *testing.T, f Files) []string {
	t.Helper()
	doc, err := parseYAML(f[PatchFile])
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, row := range rowsOf(doc) {
		switch row.get("id") {
		case "agent-presets", "agent-preset-registry", "preset-" + Name:
		default:
			out = append(out, canonical(row))
		}
	}
	return out
}

// Both forms of a standard preset give the same one of ours, and each is found where its
// generation has it.
func TestBothGenerations(t *testing.T) {
	file, err := agentPreset(settings(func(*Settings) {}))
	if err != nil {
		t.Fatal(err)
	}
	row, err := agentPreset(settings(func(s *Settings) { s.Standard = []byte(smallRow) }))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(document(file.rows)), string(document(row.rows))); diff != "" || file.module != "" || row.module == "" {
		t.Errorf("%q, %q (-file +row):\n%s", file.module, row.module, diff)
	}
	// Each of the other profiles is the same in the newer form, but for where its preset is.
	for name, s := range cases() {
		if string(s.Standard) != small {
			continue
		}
		older := generate(t, s)
		s.Standard = []byte(smallRow)
		newer := generate(t, s)
		want, err := older.presetRows()
		if err != nil {
			t.Fatal(err)
		}
		got, err := newer.presetRows()
		if err != nil || canonical(want) != canonical(got) || newer[PresetFile] != nil || newer[PresetMetaFile] != nil {
			t.Errorf("%s: the preset, %v (-older +newer):\n%s", name, err, cmp.Diff(string(document(want)), string(document(got))))
		}
		if diff := cmp.Diff(others(t, older), others(t, newer)); diff != "" {
			t.Errorf("%s: the other rows (-older +newer):\n%s", name, diff)
		}
		if older.Signature() == newer.Signature() {
			t.Errorf("%s: another composition of the same signature", name)
		}
	}
	for path, want := range map[string]string{
		"dsh/config/agent-presets/standard/agent.cordis.yml": "of the file",
		"dsh-web-app/presets/standard.patch.yml":             "of the row",
	} {
		dir := t.TempDir()
		harnesstest.Write(t, filepath.Join(dir, filepath.FromSlash(path)), want)
		if err := os.MkdirAll(filepath.Join(dir, "dsh"), 0o700); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadStandard(harness.Component{Dir: filepath.Join(dir, "dsh")}); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	if _, err := ReadStandard(harness.Component{Dir: t.TempDir()}); err == nil {
		t.Error("a preset was found where there is none")
	}
}
