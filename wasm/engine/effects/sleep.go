package effects

import (
	"context"
	"strconv"
	"time"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/engine"
)

// Sleep waits as long as it is asked to, at most abi.MaxSleepMs.
func Sleep() engine.Effects {
	return engine.Effects{abi.EffectSleep: typed(sleep, "ms")}
}

func sleep(ctx context.Context, q abi.SleepRequest, _ []byte) (none, []byte, error) {
	if q.Ms < 0 || q.Ms > abi.MaxSleepMs {
		return none{}, nil, refuse(abi.CodeRefused, abi.MsgSleep, "max", strconv.Itoa(abi.MaxSleepMs))
	}
	timer := time.NewTimer(time.Duration(q.Ms) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return none{}, nil, nil
	case <-ctx.Done():
		return none{}, nil, ctx.Err()
	}
}
