//go:build pretend

package connections

import (
	"os"
	"strings"

	"strata.dev/bridge/proto/abi"
)

// A test build asks services that the environment names: STRATA_PRETEND_EXA and so on.
func init() {
	for _, s := range abi.SearchServices {
		if origin := os.Getenv("STRATA_PRETEND_" + strings.ToUpper(s.ID)); origin != "" {
			origins[s.ID] = origin
		}
	}
}
