// Command conformance is the main of the conformance kit's guest module, which
// holds the plugin "probe" alone.
package main

import (
	"strata.dev/bridge/plugins/probe"
	"strata.dev/bridge/plugins/sdk"
)

func init() { sdk.Register(probe.Plugin) }

func main() {}
