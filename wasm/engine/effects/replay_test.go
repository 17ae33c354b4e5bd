package effects

import (
	"strings"
	"testing"

	"strata.dev/bridge/proto/abi"
)

func TestReplay(t *testing.T) {
	p, err := ReadReplay(strings.NewReader(`
{"kind":"ask","op":"other","answer":{"head":1}}
{"kind":"ask","match":{"a":{"b":1}},"answer":{"head":2}}
{"kind":"ask","match":{"c":null},"answer":{"head":3}}
{"kind":"ask","match":"text","answer":{"head":4}}
{"kind":"ask","match":{"l":[1,{"x":2}]},"times":2,"answer":{"head":5,"body":"b"}}
{"kind":"ask","match":{"l":[1,{"x":2}]},"error":{"code":"used-up","message":"Twice is enough."}}
{"kind":"fetch","answer":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	all := p.Effects()
	none := func(head string) outcome {
		return outcome{Code: abi.CodeRefused, Message: "No line of the effects file answers this ask: " + head + "."}
	}
	for _, c := range []struct {
		head string
		want outcome
	}{
		{`{"a":{"b":1,"more":2},"z":0}`, outcome{Head: "2"}},
		{`{"a":{"b":2}}`, none(`{"a":{"b":2}}`)},
		{`{"a":1}`, none(`{"a":1}`)},
		{`{"c":null}`, outcome{Head: "3"}},
		{`{"c":1}`, none(`{"c":1}`)},
		{`"text"`, outcome{Head: "4"}},
		{`{"l":[1,{"x":2}]}`, outcome{Head: "5", Body: "b"}},
		{`{"l":[1,{"x":2}]}`, outcome{Head: "5", Body: "b"}},
		{`{"l":[1,{"x":2}]}`, outcome{Code: "used-up", Message: "Twice is enough."}},
		{`{"l":[1,{"x":2,"y":3}]}`, none(`{"l":[1,{"x":2,"y":3}]}`)},
		{``, none(``)},
	} {
		expect(t, c.head, c.want, perform(t, all, abi.EffectAsk, c.head, ""))
	}
	expect(t, "anything", outcome{}, perform(t, all, abi.EffectFetch, `{"url":"x"}`, ""))
}

// Whatever the file holds: it is refused with its line, or each of its lines
// names a kind and has one answer.
func FuzzReadReplay(f *testing.F) {
	for _, seed := range []string{
		"", "\n\n", `{"kind":"ask","answer":{}}`, `{"kind":"a","error":{"code":"c","message":"m"}}` + "\n{", `{"kind":"a","match":{"b":[null]},"answer":{"bodyBase64":"AP8="}}`,
		`{"kind":"a","times":-1,"answer":{"head":{}}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file string) {
		p, err := ReadReplay(strings.NewReader(file))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Errorf("%q does not name its line", err)
			}
			return
		}
		for _, l := range p.lines {
			if l.Kind == "" || (l.Answer == nil) == (l.Error == nil) {
				t.Errorf("%q was read as %+v", file, l)
			}
			perform(t, p.Effects(), l.Kind, file, "")
		}
	})
}
