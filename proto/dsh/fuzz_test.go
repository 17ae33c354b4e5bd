package dsh_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"strata.dev/bridge/proto/dsh"
)

// Whatever the other side sends: no panic, and an event type that is read gives a
// value or is counted as wrong.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/frames-rc8/*.json")
	if err != nil || len(files) == 0 {
		f.Fatal("no recorded frames", err)
	}
	seen := map[string]int{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var frames []frame
		if err := json.Unmarshal(raw, &frames); err != nil {
			f.Fatal(err)
		}
		for _, fr := range frames {
			name, data := fr.Payload.Key, fr.Payload.Value
			if fr.Method == "session/event" {
				var e dsh.Event
				if err := json.Unmarshal(fr.Payload.Event, &e); err != nil {
					f.Fatal(err)
				}
				name, data = e.Type, e.Data
			}
			if name != "" && seen[name] < 3 {
				seen[name]++
				f.Add(name, []byte(data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		var d dsh.Decoder
		e := dsh.Event{Type: name, Data: data}
		v, err := dsh.Decode(e)
		wrong := false
		d.Event(e)
		for _, s := range d.List() {
			wrong = wrong || s.Kind == dsh.SkipWrong
		}
		if wrong != (err != nil) {
			t.Errorf("Decode's error is %v, counted as wrong: %v", err, wrong)
		}
		if v != nil {
			if _, err := json.Marshal(v); err != nil {
				t.Errorf("a decoded value cannot be written: %v", err)
			}
		}
		d.Projection(name, data)
		_ = json.Unmarshal(data, &dsh.Surface{})
		_ = json.Unmarshal(data, &dsh.Event{})
	})
}
