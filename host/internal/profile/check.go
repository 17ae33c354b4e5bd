package profile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"strata.dev/bridge/host/internal/harness"
)

// guarded are the rows that nothing else may change: without them a chat could
// act unasked.
var guarded = map[string]bool{"permission": true, "strata-fence": true, "strata-gate": true}

// Check looks whether every row of the files is what the Harness makes its agents of: in
// the composed tree (harness.DumpConfig of cfg), with its name and its whole config, and
// in the agent preset as it stands in the home, with a plugin that is there. The Harness
// says nothing at its start about a row for an id that it does not have; here it is an
// error, as is a row that is another one there. What a person's own layer names is
// theirs, but for the guarded rows.
func (f Files) Check(tree []byte, cfg harness.Config) error {
	wrong, err := f.wrong(tree, cfg)
	if err == nil && len(wrong) > 0 {
		err = fmt.Errorf("rows did not land: %s", strings.Join(wrong, "; "))
	}
	if err != nil {
		return fmt.Errorf("checking profile: %w", err)
	}
	return nil
}

func (f Files) wrong(tree []byte, cfg harness.Config) ([]string, error) {
	doc, err := parseYAML(tree)
	if err != nil {
		return nil, err
	}
	composed := map[string]mapping{}
	if err := index(doc, composed); err != nil {
		return nil, err
	}
	want, err := parseYAML(f[PatchFile])
	if err != nil {
		return nil, err
	}
	theirs, err := own(cfg.Home)
	if err != nil {
		return nil, err
	}
	var wrong []string
	for _, row := range rowsOf(want) {
		id, _ := row.get("id").(string)
		got, found := composed[id]
		off := got.get("disabled") != nil && got.get("disabled") != false && row.get("disabled") == nil
		switch {
		case !found:
			wrong = append(wrong, fmt.Sprintf("%s is not there", id))
		case theirs(id) && !guarded[id]:
		case guarded[id] && (!covers(got, row) || off):
			wrong = append(wrong, fmt.Sprintf("%s is changed by another layer", id))
		case !covers(got, row):
			wrong = append(wrong, fmt.Sprintf("%s is not as it was written", id))
		}
	}
	preset, err := f.wrongPreset(cfg)
	return append(wrong, preset...), err
}

// own tells of a row whether a person's own layer names it. One that the Harness reads
// and we do not may name any.
func own(home string) (func(id string) bool, error) {
	data, err := os.ReadFile(filepath.Join(home, "cordis.patch.yml"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return func(string) bool { return false }, nil
	}
	doc, err := parseYAML(data)
	return func(id string) bool {
		return err != nil || slices.ContainsFunc(rowsOf(doc), func(row mapping) bool { return row.get("id") == id })
	}, nil
}

// wrongPreset looks at the agent preset: where it is a file, which no dump shows, at the
// one that the Harness reads, and at the plugins of its rows in both forms.
func (f Files) wrongPreset(cfg harness.Config) ([]string, error) {
	rows, err := f.presetRows()
	if err != nil {
		return nil, err
	}
	var wrong []string
	if _, isFile := f[PresetFile]; isFile {
		data, err := os.ReadFile(filepath.Join(cfg.Home, filepath.FromSlash(PresetFile)))
		if err != nil {
			return nil, err
		}
		if there, err := parseYAML(data); err != nil || canonical(there) != canonical(rows) {
			wrong = append(wrong, "the agent preset is not as it was written")
		}
	}
	_, err = mapRows(rows, func(row mapping) (mapping, bool) {
		id, _ := row.get("id").(string)
		name, _ := row.get("name").(string)
		if row.get("group") != true && row.get("disabled") != true && !installed(cfg.Component, name) {
			wrong = append(wrong, fmt.Sprintf("%s of the agent preset has a plugin that is not there", id))
		}
		return row, true
	})
	return wrong, err
}

// presetRows are those of the agent preset in either form.
func (f Files) presetRows() (list, error) {
	text, ok := f[PresetFile]
	if !ok {
		text = f[PatchFile]
	}
	doc, err := parseYAML(text)
	if err != nil {
		return nil, err
	}
	if ok {
		rows, _ := doc.(list)
		return rows, nil
	}
	for _, row := range rowsOf(doc) {
		if row.get("id") == "preset-"+Name {
			config, _ := row.get("config").(mapping)
			rows, _ := config.get("plugins").(list)
			return rows, nil
		}
	}
	return nil, nil
}

// installed tells whether a row's plugin is there: a file, or a package of the
// component's.
func installed(c harness.Component, name string) bool {
	if filepath.IsAbs(name) {
		_, err := os.Stat(name)
		return err == nil
	}
	_, name, _ = strings.Cut(name, "/") // without its scope
	name, _, _ = strings.Cut(name, "/") // and what is named of it
	_, err := readPackage(c, name, "package.json")
	return err == nil
}

// Rows is how many rows the patch changes or inserts.
func (f Files) Rows() int {
	patch, err := parseYAML(f[PatchFile])
	if err != nil {
		return 0
	}
	return len(rowsOf(patch))
}

// rowsOf are the rows of a patch, those that it inserts too.
func rowsOf(patch any) []mapping {
	var out []mapping
	items, _ := patch.(list)
	for _, item := range items {
		row, _ := item.(mapping)
		inserted, isInsert := row.get("insert").(list)
		if !isInsert {
			out = append(out, row)
		}
		for _, r := range inserted {
			row, _ := r.(mapping)
			out = append(out, row)
		}
	}
	return out
}

// index collects the rows of a tree by id, those in groups too.
func index(doc any, into map[string]mapping) error {
	rows, ok := doc.(list)
	if !ok {
		return fmt.Errorf("not a list of rows")
	}
	for _, item := range rows {
		row, ok := item.(mapping)
		if !ok {
			return fmt.Errorf("a row is no mapping")
		}
		if id, ok := row.get("id").(string); ok {
			into[id] = row
		}
		if row.get("group") == true {
			if inner, ok := row.get("config").(list); ok {
				if err := index(inner, into); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// covers tells whether got has every field of want with an equal value.
func covers(got, want mapping) bool {
	for _, f := range want {
		if canonical(got.get(f.key)) != canonical(f.value) {
			return false
		}
	}
	return true
}

// canonical gives a text that is equal for equal values, whatever their order.
func canonical(value any) string {
	data, err := json.Marshal(toJSON(value))
	if err != nil {
		return fmt.Sprint(err)
	}
	return string(data)
}

func toJSON(value any) any {
	switch v := value.(type) {
	case mapping:
		m := make(map[string]any, len(v))
		for _, f := range v {
			m[f.key] = toJSON(f.value)
		}
		return m
	case list:
		l := make([]any, 0, len(v))
		for _, item := range v {
			l = append(l, toJSON(item))
		}
		return l
	case js:
		return map[string]any{"!!js": string(v)}
	}
	return value
}
