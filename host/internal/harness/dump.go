package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/store"
)

// DumpConfig has the Harness compose the tree that it would start, without
// starting it: the bundles, the profile's patch, the home's, then cfg.Patches. The
// second result is what it warned of, "" for nothing. A profile that it cannot
// read is an *Error.
func DumpConfig(ctx context.Context, cfg Config) (tree []byte, warnings string, err error) {
	dir := filepath.Join(cfg.Home, workDir)
	if err := os.MkdirAll(dir, store.DirMode); err != nil {
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
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, environ(env, cfg.Home, randomHex(16), ""), time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, "", fmt.Errorf("composing the profile: %w", context.Cause(ctx))
	case errors.As(err, &exit):
		return nil, "", startError(cfg.Home, cfg.Component, exit.String(), stderr.String())
	case err != nil:
		return nil, "", newError(KindLaunch, err.Error(), say.Sentence(say.AgentFailed))
	}
	return stdout.Bytes(), strings.TrimSpace(stderr.String()), nil
}
