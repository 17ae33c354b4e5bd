package e2e

import "io/fs"

// withoutModules is a file system without its node_modules folders.
type withoutModules struct{ fs.FS }

func (w withoutModules) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(w.FS, name)
	kept := entries[:0]
	for _, e := range entries {
		if e.Name() != "node_modules" {
			kept = append(kept, e)
		}
	}
	return kept, err
}
