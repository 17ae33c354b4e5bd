package gateway

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestContent(t *testing.T) {
	for want, p := range map[string]Prompt{
		`[{"type":"text","text":""}]`:                              {},
		`[{"type":"text","text":"hi"}]`:                            {Text: "hi"},
		`[{"type":"image","mediaType":"image/gif","data":"Aw=="}]`: {Images: []Image{{"", "image/gif", []byte{3}}}},
		`[{"type":"text","text":"hi"},{"type":"image","mediaType":"image/png","data":"AQI=","name":"a.png"},{"type":"image","mediaType":"image/gif","data":"Aw=="}]`: {
			Text: "hi", Images: []Image{{"a.png", "image/png", []byte{1, 2}}, {"", "image/gif", []byte{3}}},
		},
	} {
		got, err := json.Marshal(p.Content())
		if d := cmp.Diff(want, string(got)); d != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, d)
		}
	}
}
