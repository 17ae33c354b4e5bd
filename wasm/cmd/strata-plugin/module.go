package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"strata.dev/bridge/wasm/engine"
)

// defaultModule is where make puts the module, seen from the repository.
const defaultModule = "shim/dist/strata.wasm"

// module are the flags that both commands share.
type module struct {
	path        string
	interpreter bool
	fast        bool
	verbose     bool
}

func (m *module) flags(c *cobra.Command) {
	c.Flags().StringVar(&m.path, "wasm", "", "the module (default: "+defaultModule+", here or in a folder above)")
	c.Flags().BoolVar(&m.interpreter, "interpreter", false, "interpret the module instead of compiling it")
	c.Flags().BoolVar(&m.fast, "fast", false, "leave out the checks that stop a plugin which loops; two to three times faster")
	c.Flags().BoolVar(&m.verbose, "verbose", false, "show what plugins log")
}

// load reads and compiles the module. Compiled code is kept in the user's cache
// folder, so that only the first run of new bytes is slow.
func (m *module) load(ctx context.Context) (*engine.Engine, []byte, error) {
	if m.path == "" {
		var err error
		if m.path, err = findModule(); err != nil {
			return nil, nil, err
		}
	}
	wasm, err := os.ReadFile(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, say("There is no file %s. Build the module with `make wasm`, or name another with --wasm.", m.path)
	}
	if err != nil {
		return nil, nil, say("The module cannot be read: %v.", err)
	}
	level := slog.LevelError
	if m.verbose {
		level = slog.LevelDebug
	}
	cfg := engine.Config{
		Interpreter: m.interpreter,
		Unstoppable: m.fast,
		Logger:      slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})),
	}
	if !m.interpreter {
		cfg.CacheDir = engine.UserCacheDir()
	}
	e, err := engine.New(ctx, wasm, cfg)
	if err != nil {
		return nil, nil, sentence(m.path, err)
	}
	return e, wasm, nil
}

// findModule looks for the module in the working folder and those above it.
func findModule() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		path := filepath.Join(at, defaultModule)
		if _, err := os.Stat(path); err == nil {
			if rel, err := filepath.Rel(dir, path); err == nil {
				return rel, nil
			}
			return path, nil
		}
		if at == filepath.Dir(at) {
			return "", say("There is no %s here or in a folder above. Build it with `make wasm`, or name a module with --wasm.", defaultModule)
		}
	}
}

// sentence puts an engine's error into words with a next step.
func sentence(path string, err error) error {
	told := new(engine.Error)
	if !errors.As(err, &told) {
		return say("%s cannot be run: %v.", path, err)
	}
	if told.Detail == "" {
		return say("%s cannot be run. %s", path, told.Message)
	}
	return say("%s cannot be run. %s (%s)", path, told.Message, told.Detail)
}
