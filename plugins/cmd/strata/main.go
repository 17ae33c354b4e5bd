// Command strata is the main of strata.wasm: all plugins in one module, of which
// the host side makes one instance per plugin.
package main

import (
	"strata.dev/bridge/plugins/contextwindow"
	"strata.dev/bridge/plugins/gate"
	"strata.dev/bridge/plugins/gate/rules"
	"strata.dev/bridge/plugins/models"
	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/plugins/search"
)

// What a start can do ahead is done here: the build freezes the module as it
// stands then (shim/freeze.mjs). What it would throw away is left for later, since
// that would be frozen too.
func init() {
	if err := rules.Builtin.Read(); err != nil {
		panic(err)
	}
	sdk.Register(wrap(gate.Plugin))
	sdk.Register(models.Plugin)
	sdk.Register(search.Plugin)
	sdk.Register(contextwindow.Plugin)
}

func main() {}
