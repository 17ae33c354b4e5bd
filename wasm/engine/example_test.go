package engine_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/engine"
	"strata.dev/bridge/wasm/engine/effects"
)

// The gate decides on a call, and asks where it may not decide alone.
func Example() {
	ctx := context.Background()
	module, err := os.ReadFile(modules["gate"]) // shim/dist/strata.wasm
	if err != nil {
		log.Fatal(err)
	}
	e, err := engine.New(ctx, module, engine.Config{CacheDir: engine.UserCacheDir()})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close(ctx)

	yes := func(context.Context, abi.AskRequest) (abi.AskAnswer, error) {
		return abi.AskAnswer{Outcome: "allowed-once"}, nil
	}
	gate, err := e.Instance("gate", engine.Options{Effects: effects.Ask(yes)})
	if err != nil {
		log.Fatal(err)
	}
	head, _, err := gate.Call(ctx, "facts", []byte(`{"tool":"bash","arguments":{"command":"cat /w/notes"},"cwd":"/w","workspace":"/w","platform":"linux"}`), nil)
	fmt.Println(string(head), err)
	// Output: {"paths":["/w","/w/notes"],"git":false} <nil>
}
