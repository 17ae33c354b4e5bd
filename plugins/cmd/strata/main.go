// Command strata is the main of strata.wasm: all plugins in one module, of which
// the host side makes one instance per plugin.
package main

import (
	"strata.dev/bridge/plugins/gate"
	"strata.dev/bridge/plugins/sdk"
)

func init() { sdk.Register(wrap(gate.Plugin)) }

func main() {}
