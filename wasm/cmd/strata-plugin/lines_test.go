package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitLine(t *testing.T) {
	for _, c := range []struct {
		line, head, body, err string
	}{
		{line: `{}`, head: `{}`},
		{line: `{ "a" : 1.0 }`, head: `{ "a" : 1.0 }`},
		{line: `{"a":1.0,"bodyBase64":"aGk=","b":[ 1 ]}`, head: `{"a":1.0,"b":[ 1 ]}`, body: "hi"},
		{line: `{"bodyBase64":null}`, head: `{}`},
		{line: `{"body\u0042ase64":"aGk="}`, head: `{}`, body: "hi"},
		{line: `{"in":{"bodyBase64":"aGk="}}`, head: `{"in":{"bodyBase64":"aGk="}}`},
		{line: `["bodyBase64"]`, head: `["bodyBase64"]`},
		{line: `null`, head: `null`},
		{line: `{"bodyBase64":1}`, err: "bodyBase64 is not base64"},
		{line: `{"bodyBase64":"?"}`, err: "bodyBase64 is not base64"},
		{line: `{"a":}`, err: "it is not JSON"},
		{line: `{} {}`, err: "it is not JSON"},
	} {
		head, body, err := splitLine([]byte(c.line))
		got := []string{string(head), string(body), ""}
		if err != nil {
			got[2] = err.Error()
		}
		if diff := cmp.Diff([]string{c.head, c.body, c.err}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.line, diff)
		}
	}
}

func TestJoinLine(t *testing.T) {
	for _, c := range []struct{ head, body, line string }{
		{``, ``, `{}`},
		{"{\n \"a\" : 1.0\n}", ``, `{"a":1.0}`},
		{`{"a":"<&>"}`, "hi", `{"a":"<&>","bodyBase64":"aGk="}`},
		{`[1]`, "hi", `{"head":[1],"bodyBase64":"aGk="}`},
		{`nothing`, ``, `{"error":{"code":"failed","message":"The plugin's answer is not JSON."}}`},
	} {
		if diff := cmp.Diff(c.line, string(joinLine([]byte(c.head), []byte(c.body)))); diff != "" {
			t.Errorf("%q + %q (-want +got):\n%s", c.head, c.body, diff)
		}
	}
}

// Whatever the line: it is refused, or its head is JSON that means what the
// line means without its body, and putting the two together gives that back.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":1,"bodyBase64":"AP8="}`, `{"bodyBase64":"","bodyBase64":"aGk="}`, `[]`, `"x"`, `{"a":{"b":[null,1e400]}}`,
		"{\"\\ud800\":\"\xff\"}", ` {"a" : "\u2028"} `, `{"error":{}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		head, body, err := splitLine(line)
		if err != nil {
			return
		}
		if !json.Valid(head) {
			t.Fatalf("head %q of %q is not JSON", head, line)
		}
		out := joinLine(head, body)
		if bytes.ContainsRune(out, '\n') || !json.Valid(out) {
			t.Fatalf("%q became %q, which is no line of JSON", line, out)
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(head, &object) != nil || object == nil {
			return
		}
		again, bodyAgain, err := splitLine(out)
		if err != nil {
			t.Fatalf("%q cannot be read back: %v", out, err)
		}
		if diff := cmp.Diff(base64.StdEncoding.EncodeToString(body), base64.StdEncoding.EncodeToString(bodyAgain)); diff != "" {
			t.Errorf("the body changed (-want +got):\n%s", diff)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, head); err != nil {
			t.Fatal(err)
		}
		if len(body) == 0 && !bytes.Equal(compact.Bytes(), again) {
			t.Errorf("%q became %q", compact.Bytes(), again)
		}
	})
}
