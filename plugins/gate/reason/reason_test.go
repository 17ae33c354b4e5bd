package reason

import (
	"strings"
	"testing"
)

func TestString(t *testing.T) {
	tests := []struct {
		reason Reason
		want   string
	}{
		{Reason{}, ""},
		{Of("Plain."), "Plain."},
		{Of("Write {file} in {folder}.", "file", "a", "folder", "b"), "Write a in b."},
		{Of("Write {file}.", "file", "{folder}", "folder", "b"), "Write {folder}."},
		{Of("Write {file}."), "Write {file}."},
		{Of("Write {file", "file", "a"), "Write "},
		{Of("{a}", "a", "x\n\ty\x00z\u202eq\u2028r"), "x y z q r"},
		{Of("{a}", "a", "\xff"), "\uFFFD"},
		{Of("{a}", "a", strings.Repeat("é", 150)), strings.Repeat("é", 100) + "…"},
		{Of("{a}", "a", "x"+strings.Repeat("é", 150)), "x" + strings.Repeat("é", 99) + "…"},
	}
	for _, test := range tests {
		if got := test.reason.String(); got != test.want {
			t.Errorf("%q: %q, want %q", test.reason.Key, got, test.want)
		}
	}
}

func TestLongKeepsValuesWhole(t *testing.T) {
	note := strings.Repeat("line\n", 100)
	if got := Long("Note: {note}", "note", note); got != "Note: "+note {
		t.Errorf("%q", got)
	}
}
