package abi

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// filled is a value of a type with every field, in depth, set to something. It
// knows nothing of what the fields are, so a field that a codec forgets shows.
func filled(t reflect.Type, r *rand.Rand) reflect.Value {
	v := reflect.New(t).Elem()
	words := []string{"a", "\"q\"\\", "é\n\t", "<&>", "\u2028", "x\x00\x7f", "😀", "", "/home/u/repo"}
	switch t.Kind() {
	case reflect.String:
		v.SetString(words[r.IntN(len(words))])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Interface: // a default
		defaults := []any{nil, GateFacts{Paths: []string{}}, GateDecision{Rule: "r"}, GateVerdict{Message: "<m>"}, map[string]int{"a": 1}, "text"}
		if one := defaults[r.IntN(len(defaults))]; one != nil {
			v.Set(reflect.ValueOf(one))
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(r.Int64N(1000) - 1)
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(filled(t.Elem(), r))
	case reflect.Struct:
		for i := range t.NumField() {
			v.Field(i).Set(filled(t.Field(i).Type, r))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		for range r.IntN(4) {
			v.SetMapIndex(filled(t.Key(), r), filled(t.Elem(), r))
		}
	case reflect.Slice:
		if t == reflect.TypeFor[json.RawMessage]() {
			return reflect.ValueOf(json.RawMessage([]string{`{"a":[1,"x"]}`, `"text"`, `null`, `{}`}[r.IntN(4)]))
		}
		v.Set(reflect.MakeSlice(t, 0, 0))
		for range r.IntN(4) {
			v.Set(reflect.Append(v, filled(t.Elem(), r)))
		}
	default:
		panic(t.String())
	}
	return v
}

func TestCodecWritesWhatJSONWrites(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	types := map[reflect.Type]any{
		reflect.TypeFor[GateFacts](): AppendGateFacts, reflect.TypeFor[GateDecision](): AppendGateDecision, reflect.TypeFor[GateDigest](): AppendGateDigest,
		reflect.TypeFor[GateVerdict](): AppendGateVerdict, reflect.TypeFor[Manifest](): func(out []byte, m Manifest) []byte {
			out, err := AppendManifest(out, m)
			if err != nil {
				t.Fatal(err)
			}
			return out
		},
	}
	for kind, write := range types {
		values := []any{reflect.Zero(kind).Interface()}
		for range 500 {
			values = append(values, filled(kind, r).Interface())
		}
		for _, value := range values {
			want, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			in := []reflect.Value{reflect.ValueOf([]byte("x")), reflect.ValueOf(value)}
			got := reflect.ValueOf(write).Call(in)[0].Bytes()[1:]
			if !bytes.Equal(want, got) {
				t.Fatalf("%T\n got %s\nwant %s", value, got, want)
			}
		}
	}
}

func TestCodecReadsWhatJSONReads(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		want := filled(reflect.TypeFor[GateCall](), r).Interface().(GateCall)
		head, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var again GateCall
		got, ok := ReadGateCall(head)
		if !ok {
			if !strings.Contains(string(head), `"git":null`) && !bytes.Contains(head, []byte(`\`)) {
				t.Fatalf("%s was not taken", head)
			}
			continue
		}
		if err := json.Unmarshal(head, &again); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(again, got) {
			t.Fatalf("%s\n got %+v\nwant %+v", head, got, again)
		}
	}
}

func TestConfigIsReadAsJSONReadsIt(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	taken := 0
	for range 500 {
		head, err := json.Marshal(filled(reflect.TypeFor[GateConfig](), r).Interface())
		if err != nil {
			t.Fatal(err)
		}
		var want GateConfig
		if err := json.Unmarshal(head, &want); err != nil {
			t.Fatal(err)
		}
		got, ok := ReadGateConfig(head)
		if !ok && !bytes.Contains(head, []byte(`\`)) {
			t.Fatalf("%s was not taken", head)
		}
		if ok && !reflect.DeepEqual(want, got) {
			t.Fatalf("%s\n got %+v\nwant %+v", head, got, want)
		}
		if ok {
			taken++
		}
	}
	if taken == 0 {
		t.Error("none was taken")
	}
	for _, odd := range []string{`{"secrets":null}`, `{"web":[]}`, `{"more":1}`, `{"unattended":1}`, `[]`, ``} {
		if got, ok := ReadGateConfig([]byte(odd)); ok {
			t.Errorf("%s was taken as %+v", odd, got)
		}
	}
}

// Whatever the decoder takes, it reads as encoding/json does.
func FuzzGateCall(f *testing.F) {
	for _, seed := range []string{
		`{"tool":"bash","arguments":{"command":"ls"},"mode":"manual","cwd":"/w","workspace":"/w","platform":"linux","git":{"programs":[]},"realpaths":{"/w":"/w"}}`,
		`{"tool":"a","tool":"b"}`, `{"git":{},"git":null}`, `{"realpaths":{"a":"b","a":"c"}}`, `{"said":5}`, `{"said":1e2}`, `{"unattended":true}`, `{"unattended":0}`, `{"Tool":"x"}`, `{"arguments":null}`,
		`{"git":{"programs":null}}`, `{"git":{"programs":["a"],"programs":[]}}`, `{"arguments":"\u0041"}`, `{"said":-0}`, `{"said":9223372036854775808}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, head []byte) {
		got, ok := ReadGateCall(head)
		if !ok {
			return
		}
		var want GateCall
		if err := json.Unmarshal(head, &want); err != nil {
			t.Fatalf("%s was taken: %v", head, err)
		}
		if !reflect.DeepEqual(want, got) {
			t.Fatalf("%s\n got %+v\nwant %+v", head, got, want)
		}
	})
}
