package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/store"
)

// DumpConfig has the Harness compose the tree that it would start, without
// starting it: the bundles, the profile's patch, the home's, then cfg.Patches. It does so
// in a copy of the home, so that it may be asked beside a start. The second result is what it warned of, "" for nothing. A profile that it cannot
// read is an *Error.
func DumpConfig(ctx context.Context, cfg Config) (tree []byte, warnings string, err error) {
	home, err := copyHome(cfg)
	if err != nil {
		return nil, "", homeError(cfg.Home, err)
	}
	args := []string{cfg.Component.Bin, "--profile", cfg.Profile}
	for _, p := range cfg.Patches {
		args = append(args, "--patch", p)
	}
	env := cfg.Environ
	if env == nil {
		env = os.Environ()
	}
	cmd := exec.CommandContext(ctx, cfg.Node.Path, append(args, "--dump-config")...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = filepath.Join(home, workDir), environ(env, home, randomHex(16), nil), time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	said := strings.ReplaceAll(stderr.String(), home, cfg.Home)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, "", fmt.Errorf("composing the profile: %w", context.Cause(ctx))
	case errors.As(err, &exit):
		return nil, "", startError(cfg.Home, cfg.Component, exit.String(), said)
	case err != nil:
		return nil, "", newError(KindLaunch, err.Error(), say.Sentence(say.AgentFailed))
	}
	return stdout.Bytes(), strings.TrimSpace(said), nil
}

// checkDir is where in a home the copy is that composes.
const checkDir = "check"

// copyHome copies what composes a tree into a home of its own: each launch empties and
// writes again the profile's cordis.yml, and makes the links to its packages anew, on
// which another one that reads just then fails (rc.8, profile-boot's prepareProfile).
func copyHome(cfg Config) (string, error) {
	to := filepath.Join(cfg.Home, checkDir)
	if err := os.MkdirAll(filepath.Join(to, workDir), store.DirMode); err != nil {
		return "", err
	}
	profile := filepath.Join("profiles", cfg.Profile)
	for _, name := range []string{"cordis.patch.yml", "settings.yaml", filepath.Join(profile, "package.json"), filepath.Join(profile, "cordis.patch.yml")} {
		data, err := os.ReadFile(filepath.Join(cfg.Home, name))
		if errors.Is(err, fs.ErrNotExist) {
			err = os.RemoveAll(filepath.Join(to, name))
		} else if err == nil {
			err = store.WriteFile(filepath.Join(to, name), data)
		}
		if err != nil {
			return "", err
		}
	}
	return to, nil
}
