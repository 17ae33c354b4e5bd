//go:build !race

package source

import "strata.dev/bridge/plugins/search/content"

// junkSize is as much as is read of a page.
const junkSize = content.MaxBytes
