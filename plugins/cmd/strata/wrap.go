//go:build !straptest

package main

import "strata.dev/bridge/plugins/sdk"

// wrap leaves the gate as it is. Only test builds put faults into it.
func wrap(p sdk.Plugin) sdk.Plugin { return p }
