package profile

import (
	"encoding/json"
	"fmt"
	"strings"
)

// guarded are the rows that nothing else may change: without them a chat could
// act unasked.
var guarded = map[string]bool{"permission": true, "strata-fence": true, "strata-gate": true}

// Check compares the composed tree (harness.DumpConfig) with the generated patch.
// The Harness says nothing at its start about a row for an id that it does not
// have; here it is an error, as is a guarded row that a later layer changes. Other
// rows may be changed by a person's own layer.
func (f Files) Check(dump []byte) error {
	doc, err := parseYAML(dump)
	if err != nil {
		return fmt.Errorf("checking profile: %w", err)
	}
	composed := map[string]mapping{}
	if err := index(doc, composed); err != nil {
		return fmt.Errorf("checking profile: %w", err)
	}
	want, err := parseYAML(f[PatchFile])
	if err != nil {
		return fmt.Errorf("checking profile: %w", err)
	}
	var wrong []string
	for _, row := range rowsOf(want) {
		id, _ := row.get("id").(string)
		got, found := composed[id]
		switch {
		case !found:
			wrong = append(wrong, fmt.Sprintf("%s is not there", id))
		case guarded[id] && (!covers(got, row) || got.get("disabled") != nil && got.get("disabled") != false):
			wrong = append(wrong, fmt.Sprintf("%s is changed by another layer", id))
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("checking profile: rows did not land: %s", strings.Join(wrong, "; "))
	}
	return nil
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
