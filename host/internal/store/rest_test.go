package store

import (
	"encoding/json"
	"testing"
)

type inner struct {
	A int `json:"a,omitempty"`
}

type outer struct {
	inner
	B     string   `json:"b,omitempty"`
	Plain []string // named by its field
	Rest  Rest     `json:"-"`
}

type plainOuter outer

func (o *outer) UnmarshalJSON(data []byte) error { return o.Rest.Read(data, (*plainOuter)(o)) }
func (o outer) MarshalJSON() ([]byte, error)     { return o.Rest.Write(plainOuter(o)) }

// What a struct lacks is written again as it was read, through changes of what it has.
func TestRest(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1,"b":"x","Plain":null}`:                       `{"a":2,"b":"x","Plain":null}`,
		`{"z":{"deep":[1, "é"]},"a":1,"later":null,"b":"x"}`: `{"a":2,"b":"x","Plain":null,"later":null,"z":{"deep":[1,"é"]}}`,
		`{"later":1.50}`:                                     `{"a":2,"Plain":null,"later":1.50}`,
		`{}`:                                                 `{"a":2,"Plain":null}`,
	} {
		o := outer{Rest: Rest{"of": json.RawMessage("1")}} // what was read before
		if err := json.Unmarshal([]byte(in), &o); err != nil {
			t.Fatal(err)
		}
		o.A = 2
		got, err := json.Marshal(o)
		if err != nil || string(got) != want {
			t.Errorf("%s becomes %s, %v, want %s", in, got, err, want)
		}
	}
	var o outer
	if err := json.Unmarshal([]byte(`{"b":1}`), &o); err == nil {
		t.Error("a field of another type is read")
	}
	if got, err := (Rest{"a": json.RawMessage("1")}).Write(struct{}{}); err != nil || string(got) != `{"a":1}` {
		t.Errorf("with no field: %s, %v", got, err)
	}
}
