//go:build straptest

package main

import (
	"bytes"
	"sync"

	"strata.dev/bridge/plugins/sdk"
)

// wrap makes a gate whose decide goes wrong when a call's arguments say so: for
// tests of what happens then, never for use.
func wrap(p sdk.Plugin) sdk.Plugin {
	fresh := p.New
	p.New = func() sdk.Instance {
		instance := fresh()
		decide := instance.Ops["decide"]
		instance.Ops["decide"] = func(t *sdk.Task, head, body []byte) ([]byte, []byte, error) {
			has := func(marker string) bool { return bytes.Contains(head, []byte(marker)) }
			switch {
			case has("STRATA_TRAP_DECIDE"):
				new(sync.Mutex).Unlock() // a fault that no recover catches
			case has("STRATA_PANIC_DECIDE"):
				panic("asked for by a test")
			case has("STRATA_SPIN_DECIDE"):
				//lint:ignore SA5002 on purpose
				for {
				}
			}
			return decide(t, head, body)
		}
		return instance
	}
	return p
}
