//go:build ignore

// A module whose plugin parses: for bench/gate.mjs, which builds it from the
// folder of the plugins module.
package main

import (
	"strata.dev/bridge/plugins/gate/bash"
	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
)

func init() {
	sdk.Register(sdk.Plugin{Name: "parse", Table: []abi.Op{{Name: "parse", Sync: true}}, New: func() sdk.Instance {
		return sdk.Instance{Ops: sdk.Ops{
			// body is the command; head, a list of digits, is as long as it shall be parsed often.
			"parse": func(_ *sdk.Task, head, body []byte) ([]byte, []byte, error) {
				for range len(head) / 2 {
					bash.Parse(string(body))
				}
				return nil, nil, nil
			},
		}}
	}})
}

func main() {}
