package profile

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseYAML(t *testing.T) {
	got, err := parseYAML([]byte(`
- id: a
  'quoted key': "x\ny"
  int: -7
  float: 1.5
  yes: true
  no: null
  empty:
  js: !!js process.platform === 'win32'
  lit: |
    two
    lines
  fold: >-
    one
    line
- [x, {y: z}]
- {}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := list{
		mapping{
			{"id", "a"}, {"quoted key", "x\ny"}, {"int", int64(-7)}, {"float", 1.5}, {"yes", true}, {"no", nil}, {"empty", nil},
			{"js", js("process.platform === 'win32'")}, {"lit", "two\nlines\n"}, {"fold", "one line"},
		},
		list{"x", mapping{{"y", "z"}}},
		mapping{},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(field{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, text := range []string{"", "- [\n", "- a\n---\n- b\n", "- &a x\n- *a\n", "- !!python/x y\n"} {
		if got, err := parseYAML([]byte(text)); err == nil {
			t.Errorf("%q became %#v", text, got)
		}
	}
}

// FuzzYAML writes strings and numbers as values and keys and reads them back.
func FuzzYAML(f *testing.F) {
	for _, s := range []string{"", "no", "a b", "12", "-", "#x", "a: b", "ü\u2028\x00\x7f", "C:\\x\n", "!!js x", "~", "1e3", "0x1F", "null", "😀", "'", `"`} {
		f.Add(s, int64(1), 0.5)
	}
	f.Fuzz(func(t *testing.T, s string, i int64, x float64) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return
		}
		s = string([]rune(s)) // what is no UTF-8 has no YAML
		want := list{mapping{{"k" + s, s}, {"n", list{i, s, list{mapping{{"deep", s}}}, list{}, mapping{}}}}, js("f(" + s + ")"), s}
		text := renderYAML(want)
		got, err := parseYAML(text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(field{})); diff != "" {
			t.Errorf("(-want +got):\n%s\n%s", diff, text)
		}
	})
}
