package draft

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

type seen struct {
	Size, Lines int
	Tail        string
}

func read(pieces ...string) seen {
	var d Draft
	for _, p := range pieces {
		d.Write(p)
	}
	return seen{d.Size(), d.Lines(), d.Tail()}
}

func TestText(t *testing.T) {
	long := strings.Repeat("0123456789", 100)
	for name, tt := range map[string]struct {
		arguments string
		want      seen
	}{
		"nothing yet":         {`{"file_path":"content`, seen{}},
		"a path first":        {`{"file_path": "a.txt", "content": "one\ntwo`, seen{7, 2, "one\ntwo"}},
		"the text first":      {`{"content":"x\n","file_path":"content"}`, seen{2, 1, "x\n"}},
		"an edit":             {`{"old_string":"content","new_string":"b"}`, seen{1, 1, "b"}},
		"escapes":             {`{"content":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é😀"}`, seen{20, 2, "\"\\/\b\f\n\r\té😀é😀"}},
		"half a pair":         {`{"content":"\ud83dx\udc00"}`, seen{7, 1, "\ufffdx\ufffd"}},
		"deeper down":         {`{"a":{"content":"no"},"b":["content","no"],"content":"yes"}`, seen{3, 1, "yes"}},
		"a value named so":    {`{"x":"content","y":"no"}`, seen{}},
		"an escaped key":      {`{"c\u006fntent":"yes"}`, seen{3, 1, "yes"}},
		"the newest is shown": {`{"content":"` + long + `"}`, seen{1000, 1, long[600:]}},
		"no JSON":             {`]]}}"content":"x"`, seen{}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, read(tt.arguments)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for cut := range len(tt.arguments) { // inside an escape and a character too
				if diff := cmp.Diff(tt.want, read(tt.arguments[:cut], tt.arguments[cut:])); diff != "" {
					t.Fatalf("cut at %d (-want +got):\n%s", cut, diff)
				}
			}
		})
	}
}

// Whole arguments hold the text that encoding/json reads.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a\nb\n", "\"\\\u2028é😀", "\xed\xa0\x80", strings.Repeat("x\n", 500)} {
		f.Add(s, "path", 3)
	}
	f.Fuzz(func(t *testing.T, text, path string, cut int) {
		arguments, err := json.Marshal(map[string]any{"a": []string{text}, "content": text, "file_path": path})
		if err != nil {
			t.Fatal(err)
		}
		var back struct{ Content string }
		if err := json.Unmarshal(arguments, &back); err != nil {
			t.Fatal(err)
		}
		lines := strings.Count(back.Content, "\n")
		if back.Content != "" && !strings.HasSuffix(back.Content, "\n") {
			lines++
		}
		tail := []rune(back.Content)
		want := seen{len(back.Content), lines, string(tail[max(0, len(tail)-maxTail):])}
		at := min(max(cut, 0), len(arguments))
		if diff := cmp.Diff(want, read(string(arguments[:at]), string(arguments[at:]))); diff != "" || !utf8.ValidString(want.Tail) {
			t.Errorf("%s (-want +got):\n%s", arguments, diff)
		}
	})
}
