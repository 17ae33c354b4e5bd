package effects

import (
	"context"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/engine"
)

// Ask puts questions to answer, which waits for the person and gives up when
// ctx ends.
func Ask(answer func(ctx context.Context, q abi.AskRequest) (abi.AskAnswer, error)) engine.Effects {
	return engine.Effects{abi.EffectAsk: typed(
		func(ctx context.Context, q abi.AskRequest, _ []byte) (abi.AskAnswer, []byte, error) {
			a, err := answer(ctx, q)
			return a, nil, err
		})}
}
