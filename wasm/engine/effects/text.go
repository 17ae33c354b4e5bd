package effects

import (
	"context"

	"golang.org/x/text/encoding/htmlindex"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/engine"
)

// TextDecode turns text in a charset of the web into UTF-8: its tables are larger
// than a plugin should carry.
func TextDecode() engine.Effects {
	return engine.Effects{abi.EffectTextDecode: typed(
		func(_ context.Context, q abi.TextDecode, body []byte) (none, []byte, error) {
			charset, err := htmlindex.Get(q.Charset)
			if err != nil {
				return none{}, nil, because(err, abi.CodeRefused, abi.MsgCharset, "charset", q.Charset)
			}
			text, err := charset.NewDecoder().Bytes(body)
			return none{}, text, err
		}, "charset")}
}
