package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"strata.dev/bridge/host/internal/harness"
	"strata.dev/bridge/host/internal/profile"
)

// ownFiles are the person's, in DSH_HOME, that say what the Harness runs besides the
// profile.
var ownFiles = []string{"cordis.patch.yml", "settings.yaml"}

// fingerprint names everything that says what a process will be: our files, the person's
// own, the component and Node. "" where that cannot be told.
func fingerprint(files profile.Files, cfg harness.Config) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		part(h, name, files[name])
	}
	for _, name := range ownFiles {
		own, err := os.ReadFile(filepath.Join(cfg.Home, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return ""
		}
		part(h, name, own)
	}
	for _, path := range []string{filepath.Join(cfg.Component.Dir, "package.json"), cfg.Component.Bin, cfg.Node.Path} {
		info, err := os.Stat(path)
		if err != nil {
			return ""
		}
		part(h, path, fmt.Append(nil, info.Size(), info.ModTime().UnixNano()))
	}
	return hex.EncodeToString(h.Sum(nil))
}

func part(h hash.Hash, name string, data []byte) { fmt.Fprintf(h, "%s\n%d\n%s", name, len(data), data) }

// launch starts the process and has its profile checked beside that, which takes less
// long: at every start, as a layer of the person's own may have changed. One that is
// what an earlier process of this Agent was, which proved good, is not proven again:
// after a kill that would be half of the time until it answers.
func (a *Agent) launch(ctx context.Context, files profile.Files, cfg harness.Config) (*harness.Process, error) {
	print := fingerprint(files, cfg)
	if cfg.Proven = print != "" && print == a.proven; cfg.Proven {
		return harness.Start(ctx, cfg)
	}
	checked := make(chan error, 1)
	go func() { checked <- check(ctx, files, cfg) }()
	p, err := harness.Start(ctx, cfg)
	wrong := <-checked
	if err != nil {
		return nil, err
	}
	if wrong != nil {
		return nil, errors.Join(wrong, p.Stop(ctx))
	}
	a.proven = print
	return p, nil
}
