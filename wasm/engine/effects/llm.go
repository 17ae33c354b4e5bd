package effects

import (
	"context"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/engine"
)

// LLM makes model requests by answer, which knows the messages that they name and gives
// the answer's text beside how it ended.
func LLM(answer func(ctx context.Context, r abi.LLMRequest) (abi.LLMAnswer, []byte, error)) engine.Effects {
	return engine.Effects{abi.EffectLLM: typed(
		func(ctx context.Context, r abi.LLMRequest, _ []byte) (abi.LLMAnswer, []byte, error) {
			return answer(ctx, r)
		},
		"maxTokens")}
}
