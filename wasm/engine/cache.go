package engine

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// cacheLimit is how many bytes of compiled code a cache may keep. One module is
// about 20 MB, and every edit of a plugin makes another.
const cacheLimit = 256 << 20

// pruneCache removes the oldest entries of a compile cache until it is within
// limit. What cannot be looked at or removed stays: it is a cache.
func pruneCache(dir string, limit int64) {
	type entry struct {
		path string
		info fs.FileInfo
	}
	var entries []entry
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				entries = append(entries, entry{path, info})
			}
		}
		return nil
	})
	slices.SortFunc(entries, func(a, b entry) int { // newest first
		return cmp.Compare(b.info.ModTime().UnixNano(), a.info.ModTime().UnixNano())
	})
	var kept int64
	for _, e := range entries {
		if kept += e.info.Size(); kept > limit {
			os.Remove(e.path)
		}
	}
}
