package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/chat"
)

// What --model does not say of a model stays, its name and its pictures too.
func TestModelOf(t *testing.T) {
	no := false
	known := chat.ModelSpec{ID: "a=b", Name: "Shown", ContextWindow: 4096, Images: &no}
	wider := known
	wider.ContextWindow = 8192
	for text, want := range map[string]chat.ModelSpec{
		"m":        {ID: "m"},
		"m=9000":   {ID: "m", ContextWindow: 9000},
		"x=y=":     {ID: "x=y"},
		"a=b=":     known,
		"a=b=8192": wider,
	} {
		got, err := modelOf(text, []chat.ModelSpec{known})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	}
	for _, text := range []string{"m=many", "m=0", "m=-1", "a=b"} {
		if got, err := modelOf(text, nil); err == nil {
			t.Errorf("%s became %+v", text, got)
		}
	}
}
