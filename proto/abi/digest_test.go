package abi

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestCanonical(t *testing.T) {
	tests := map[string]string{
		``:                             `{}`,
		" \n":                          `{}`,
		`{}`:                           `{}`,
		`{"b":1,"a":2}`:                `{"a":2,"b":1}`,
		"{\n  \"a\" : [ 1, 2 ]\n}":     `{"a":[1,2]}`,
		`{"a":"\u00e9\u2028<&>"}`:      `{"a":"é` + "\\u2028" + `<&>"}`,
		`{"a":"\/"}`:                   `{"a":"/"}`,
		`{"a":1.0,"b":1e2,"c":1e21}`:   `{"a":1,"b":100,"c":1e+21}`,
		`{"a":12345678901234567890}`:   `{"a":12345678901234567000}`,
		`{"a":1,"a":2}`:                `{"a":2}`,
		`{"a":null,"b":true,"c":""}`:   `{"a":null,"b":true,"c":""}`,
		`{"z":{"b":1,"a":2},"a":[{}]}`: `{"a":[{}],"z":{"a":2,"b":1}}`,
		`not json`:                     `not json`,
		`{"a":1} trailing`:             `{"a":1} trailing`,
	}
	for in, want := range tests {
		if got := string(Canonical([]byte(in))); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// The digest is part of the contract: the host, the gate and a page compare it.
func TestDigestIsPinned(t *testing.T) {
	const want = "7affb4abe385afdf0fee77b15f2d528bed6b23bdbb17ab0a9fd78ca49fd0d40d"
	for _, arguments := range []string{`{"file_path":"a","content":"b"}`, "{ \"content\": \"b\",\n\"file_path\": \"\\u0061\" }"} {
		if got := Digest("session-1", "helper-2", "call-3", "write", []byte(arguments)); got != want {
			t.Errorf("%s: %s, want %s", arguments, got, want)
		}
	}
}

// No part can pass for a piece of another.
func TestDigestKeepsItsPartsApart(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range [][4]string{{"a", "b", "c", "d"}, {"ab", "", "c", "d"}, {"a", "bc", "", "d"}, {"a", "b", "cd", ""}, {"", "ab", "c", "d"}, {"a1:b", "", "c", "d"}} {
		d := Digest(p[0], p[1], p[2], p[3], nil)
		if seen[d] {
			t.Errorf("%q has the digest of another", p)
		}
		seen[d] = true
	}
	if Digest("a", "b", "c", "d", []byte(`{"x":1}`)) == Digest("a", "b", "c", "d", []byte(`{"x":2}`)) {
		t.Error("arguments do not count")
	}
}

func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"b":[1,2.50,"é\n"],"a":null}`, `"x"`, `1e400`, `{`, `{"\ud800":1}`, `{"b":1,"a":{"d":[],"c":"\u2028"},"b":-0,"c":1.5}`, ` [true , false,null] `, `{"a":1,}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		once := Canonical(in)
		if twice := Canonical(once); string(twice) != string(once) {
			t.Errorf("%q: %q, then %q", in, once, twice)
		}
		if long := canonicalAnyhow(in); len(bytes.TrimSpace(in)) > 0 && !bytes.Equal(long, once) {
			t.Errorf("%q: %q, by way of encoding/json %q", in, once, long)
		}
		if json.Valid(in) && len(in) > 0 && !json.Valid(once) {
			t.Errorf("%q: %q is no JSON", in, once)
		}
	})
}

func TestTables(t *testing.T) {
	effects := map[string]bool{
		EffectAsk: true, EffectSleep: true, EffectFetch: true, EffectStoreGet: true, EffectStorePut: true, EffectStoreAppend: true,
		EffectStoreList: true, EffectStoreDelete: true, EffectSessionRead: true, EffectSessionCommit: true, EffectRealpath: true, EffectFetchWeb: true, EffectTextDecode: true, EffectLLM: true, EffectRestorePut: true,
	}
	for plugin, table := range Tables {
		seen := map[string]bool{}
		for _, op := range table {
			if seen[op.Name] || op.Name == "" {
				t.Errorf("%s: op %q is there twice or has no name", plugin, op.Name)
			}
			seen[op.Name] = true
			if op.Sync && len(op.Effects) > 0 {
				t.Errorf("%s.%s answers at once, so it can use no effect", plugin, op.Name)
			}
			for _, e := range op.Effects {
				if !effects[e] {
					t.Errorf("%s.%s: there is no effect %q", plugin, op.Name, e)
				}
			}
		}
	}
}
