package engine_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/engine"
)

// Whatever bytes come as head and body: they are refused as bad input exactly
// when the head is neither empty nor JSON in UTF-8, and come back unchanged otherwise.
func FuzzEcho(f *testing.F) {
	for _, seed := range []string{``, `{}`, ` null `, `{"a":1e400}`, "\"\xff\"", `"\ud800"`, "\ufeff{}", `{"a":{"a":[]}}`, `01`} {
		f.Add([]byte(seed), []byte(seed))
	}
	in := open(f, "probe", engine.Config{}, engine.Options{})
	f.Fuzz(func(t *testing.T, head, body []byte) {
		want := outcome{Head: string(head), Body: string(body)}
		switch {
		case len(head) == 0:
			want.Head = "null" // the op's own answer to an empty head
		case !utf8.Valid(head) || !json.Valid(head):
			want = outcome{Err: told(false, abi.CodeBadInput, abi.MsgHead)}
		}
		expect(t, "echo", want, call(t.Context(), in, "echo", string(head), string(body)))
	})
}
