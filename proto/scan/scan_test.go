package scan

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var texts = []string{
	`{}`, `[]`, `""`, `0`, `-0`, `1.5e+7`, `true`, `false`, `null`, `{"a":1,"b":[{"c":"d"},null,[]]}`, ` { "a" : 1 , "b" : [ 1 , 2 ] } `,
	`"a\"\\\/\b\f\n\r\tAé"`, `"\ud83d\ude00"`, `"\ud800"`, `"é€😀"`, "\"\xff\"", "\"a\nb\"", "\"\x7f\"", `{"a":1,}`, `[1,]`, `{,}`, `[,1]`, `{"a"}`,
	`{"a":}`, `{a:1}`, `01`, `1.`, `.5`, `-`, `1e`, `1e+`, `+1`, `tru`, `nul`, `"`, `"\`, `"\u12"`, `"\x"`, `{`, `[`, ``, ` `, `1 2`, `{} {}`, `]`, `}`,
	`[[[[[[[[[[]]]]]]]]]]`, `{"a":1,"a":2}`, `{"<&>":"<&>"}`, `1e400`, strings.Repeat("[", 200) + strings.Repeat("]", 200),
}

// raw reads a whole text as one value.
func raw(text []byte) ([]byte, bool) {
	r := NewReader(text)
	value := r.Raw()
	return value, r.End()
}

// left is what a Reader leaves to encoding/json although it is JSON.
func left(text string) bool {
	return !utf8.ValidString(text) || strings.Contains(text, `\ud`) || strings.Contains(text, `\uD`) ||
		strings.Count(text, "[")+strings.Count(text, "{") >= maxDepth
}

func TestRawTakesWhatIsJSON(t *testing.T) {
	for _, text := range texts {
		got, ok := raw([]byte(text))
		want := json.Valid([]byte(text)) && !left(text)
		if ok != want {
			t.Errorf("%q: taken %v, want %v", text, ok, want)
		}
		if ok && string(got) != strings.TrimSpace(text) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestWalk(t *testing.T) {
	r := NewReader([]byte(` {"a":"x\ty","list":[1,"two",{"three":3}],"none":[],"rest":{"deep":[true]}} `))
	got := map[string]string{}
	var list []string
	for r.Open('{'); r.More('}'); {
		switch name := string(r.Name()); name {
		case "a":
			got[name] = r.Text()
		case "list", "none":
			for r.Open('['); r.More(']'); {
				list = append(list, string(r.Raw()))
			}
		default:
			got[name] = string(r.Raw())
		}
	}
	if !r.End() {
		t.Fatal("not taken")
	}
	if want := map[string]string{"a": "x\ty", "rest": `{"deep":[true]}`}; !maps.Equal(want, got) {
		t.Errorf("%q, want %q", got, want)
	}
	if want := []string{"1", `"two"`, `{"three":3}`}; !slices.Equal(want, list) {
		t.Errorf("%q, want %q", list, want)
	}
}

// What a Reader takes is JSON, and a string means what encoding/json says.
func FuzzReader(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		value, ok := raw(text)
		if !ok {
			if json.Valid(text) && !left(string(text)) {
				t.Fatalf("%q is JSON and was not taken", text)
			}
			return
		}
		if !json.Valid(text) || !bytes.Equal(value, bytes.Trim(text, " \t\r\n")) {
			t.Fatalf("%q was taken as %q", text, value)
		}
		if value[0] != '"' {
			return
		}
		var want string
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if got := NewReader(text).Text(); got != want {
			t.Fatalf("%q means %q, not %q", text, want, got)
		}
	})
}

func FuzzAppendText(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Add("\u2028\u2029\x00\x1f\x7f<&>\xff\xc3(")
	f.Fuzz(func(t *testing.T, text string) {
		want, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := AppendText(nil, text, true); !bytes.Equal(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(text); err != nil {
			t.Fatal(err)
		}
		if got := AppendText(nil, text, false); !bytes.Equal(append(got, '\n'), out.Bytes()) {
			t.Errorf("%q: %s, want %s", text, got, out.Bytes())
		}
	})
}
