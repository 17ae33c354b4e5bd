package effects

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/engine"
)

// maxLinks ends a chain of links that goes in circles; the kernel's own figure.
const maxLinks = 40

// Realpath looks real paths up on this machine.
func Realpath() engine.Effects {
	return engine.Effects{abi.EffectRealpath: typed(
		func(_ context.Context, q abi.PathsRequest, _ []byte) (abi.PathsAnswer, []byte, error) {
			if len(q.Paths) > abi.MaxPaths {
				return abi.PathsAnswer{}, nil, refuse(abi.CodeRefused, abi.MsgPaths, "max", strconv.Itoa(abi.MaxPaths))
			}
			a := abi.PathsAnswer{Real: map[string]string{}}
			for _, p := range q.Paths {
				a.Real[p] = realpath(p)
			}
			return a, nil, nil
		}, "paths")}
}

// realpath is the path that the kernel would end at, "" when that cannot be
// known. What does not exist yet is taken as it stands, so that a file about to
// be made (through a dangling link, too) shows where it would lie.
func realpath(path string) string {
	if !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return ""
	}
	at, rest, links := string(filepath.Separator), split(path), 0
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		if name == ".." { // out of a link's target; at has no links, so its parent is the real one
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !slices.Contains(rest, ".."):
			return filepath.Join(append([]string{next}, rest...)...)
		case err != nil:
			return ""
		case info.Mode()&fs.ModeSymlink == 0:
			if len(rest) > 0 && !info.IsDir() {
				return ""
			}
			at = next
			continue
		}
		target, err := os.Readlink(next)
		if links++; err != nil || links > maxLinks {
			return ""
		}
		if filepath.IsAbs(target) {
			at = string(filepath.Separator)
		}
		rest = append(split(target), rest...)
	}
	return at
}

// split gives a path's components without the empty ones and ".".
func split(path string) []string {
	return slices.DeleteFunc(strings.Split(path, string(filepath.Separator)), func(c string) bool {
		return c == "" || c == "."
	})
}
