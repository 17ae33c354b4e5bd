package dsh_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"strata.dev/bridge/proto/dsh"
)

func TestDecodeTolerates(t *testing.T) {
	tests := []struct {
		name  string
		typ   string
		data  string
		want  any
		fails bool
		skips []dsh.Skip
	}{
		{
			name: "unknown type", typ: "no/such", data: `{"a":1}`,
			skips: []dsh.Skip{{Kind: dsh.SkipType, Name: "no/such", N: 1}},
		},
		{
			name: "unknown fields, also nested", typ: dsh.TypeTurnEnd,
			data: `{"turn":2,"when":1,"reason":{"kind":"completed","mood":{"deep":1}}}`,
			want: &dsh.TurnEnd{Turn: 2, Reason: dsh.EndReason{Kind: "completed"}},
			skips: []dsh.Skip{
				{Kind: dsh.SkipField, Name: "turn/end.reason.mood", N: 1},
				{Kind: dsh.SkipField, Name: "turn/end.when", N: 1},
			},
		},
		{
			name: "a field of another type leaves the rest", typ: dsh.TypeTurnEnd,
			data: `{"turn":"two","reason":{"kind":"error","error":{"code":"AUTH","status":"x"}}}`,
			want: &dsh.TurnEnd{Reason: dsh.EndReason{Kind: "error", Error: &dsh.LLMFailed{Code: "AUTH"}}}, fails: true,
			skips: []dsh.Skip{{Kind: dsh.SkipWrong, Name: dsh.TypeTurnEnd, N: 1}},
		},
		{
			name: "no object", typ: dsh.TypeToolCall, data: `[1]`, fails: true,
			skips: []dsh.Skip{{Kind: dsh.SkipWrong, Name: dsh.TypeToolCall, N: 1}},
		},
		{
			name: "no JSON", typ: dsh.TypeToolCall, data: `{"callId":`, fails: true,
			skips: []dsh.Skip{{Kind: dsh.SkipWrong, Name: dsh.TypeToolCall, N: 1}},
		},
		{
			name: "no data", typ: dsh.TypeToolCall, data: ``, fails: true,
			skips: []dsh.Skip{{Kind: dsh.SkipWrong, Name: dsh.TypeToolCall, N: 1}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := dsh.Event{Type: tt.typ, Data: json.RawMessage(tt.data)}
			got, err := dsh.Decode(e)
			if (err != nil) != tt.fails {
				t.Errorf("Decode's error is %v, want one: %v", err, tt.fails)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Decode gave %#v, want %#v", got, tt.want)
			}
			var d dsh.Decoder
			if got := d.Event(e); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Decoder.Event gave %#v, want %#v", got, tt.want)
			}
			if got := d.List(); !reflect.DeepEqual(got, tt.skips) {
				t.Errorf("skipped %+v, want %+v", got, tt.skips)
			}
		})
	}
}

func TestDecodeProjection(t *testing.T) {
	title := "A title"
	tests := []struct {
		key, value string
		want       any
		fails      bool
	}{
		{key: dsh.KeyTitle, value: `"A title"`, want: &title},
		{key: dsh.KeyTitle, value: `null`},
		{key: dsh.KeyGoal, value: `null`},
		{key: dsh.KeyContextPressure, value: `{}`, want: &dsh.ContextPressure{}},
		{key: dsh.KeyPermissions, value: `{"currentValue":"strata-plan"}`, want: &dsh.Permissions{CurrentValue: "strata-plan"}},
		{key: dsh.KeySessionList, value: `{"blank":true,"lastPromptAt":null}`, want: &dsh.SessionList{Blank: true}},
		{key: dsh.KeyPermissions, value: `"x"`, fails: true},
		{key: "no-such", value: `{"a":1}`},
	}
	for _, tt := range tests {
		got, err := dsh.DecodeProjection(tt.key, json.RawMessage(tt.value))
		if (err != nil) != tt.fails || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s %s gave %#v, %v; want %#v, an error: %v", tt.key, tt.value, got, err, tt.want, tt.fails)
		}
	}
}

func TestSurface(t *testing.T) {
	tests := []struct {
		in   string
		want dsh.Surface
		out  string
	}{
		{`"append"`, dsh.Surface{Op: "append"}, `"append"`},
		{`{"op":"replace","start":3,"end":9}`, dsh.Surface{Op: "replace", Start: 3, End: 9}, `{"end":9,"op":"replace","start":3}`},
		{`{"op":"replace","startSeq":3,"endSeq":9}`, dsh.Surface{Op: "replace", Start: 3, End: 9}, `{"end":9,"op":"replace","start":3}`},
		{`7`, dsh.Surface{}, `""`},
	}
	for _, tt := range tests {
		var got dsh.Surface
		if err := json.Unmarshal([]byte(tt.in), &got); err != nil || got != tt.want {
			t.Errorf("%s gave %+v, %v; want %+v", tt.in, got, err, tt.want)
		}
		if out, err := json.Marshal(got); err != nil || string(out) != tt.out {
			t.Errorf("%+v is written as %s, %v; want %s", got, out, err, tt.out)
		}
	}
}

// Names come from the other side: a flood of them must not fill the memory.
func TestCountsAreBounded(t *testing.T) {
	var c dsh.Counts
	const names = 5000
	for i := range names {
		c.Add(dsh.SkipType, fmt.Sprint(i))
	}
	list := c.List()
	var sum, other int64
	for _, s := range list {
		sum += s.N
		if s.Name == "…" {
			other = s.N
		}
	}
	if len(list) != 1001 || sum != names || other != names-1000 {
		t.Errorf("%d names, %d counted, %d of them under …; want 1001, %d, %d", len(list), sum, other, names, names-1000)
	}
}
