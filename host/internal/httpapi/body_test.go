package httpapi

import (
	"encoding/json"
	"regexp"
	"testing"

	"strata.dev/bridge/proto/chat"
)

var place = regexp.MustCompile(`^line [1-9]\d*, column [1-9]\d*: `)

// FuzzParse: no body makes the reader panic, what is taken is an object of JSON,
// and what is refused for its form says where.
func FuzzParse(f *testing.F) {
	for _, s := range []string{goodBody, "", "null", "[]", "{", "{}{}", `{"chatId":7}`, "{\"a\":\"\xff\"}", "\n\n {\"a\":\n nope}", `{"attachments":[{"data":"%"}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var r chat.StreamRequest
		err := parse(body, &r)
		if err == nil {
			var object map[string]json.RawMessage
			if err := json.Unmarshal(body, &object); err != nil {
				t.Fatalf("%q was taken: %v", body, err)
			}
			return
		}
		var any any
		if json.Unmarshal(body, &any) != nil && !place.MatchString(err.Error()) {
			t.Errorf("%q: %v says no place", body, err)
		}
	})
}
