package profile

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"strata.dev/bridge/host/internal/store"
)

// Write puts the files into home, each atomically, and only those that differ. It
// tells which were written. The Harness reads the profile's patch again by itself
// when it changes, so the preset comes first.
func (f Files) Write(home string) (written []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		path := filepath.Join(home, filepath.FromSlash(name))
		if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, f[name]) {
			continue
		}
		if err := store.WriteFile(path, f[name]); err != nil {
			return written, fmt.Errorf("writing profile: %w", err)
		}
		written = append(written, name)
	}
	return written, nil
}
