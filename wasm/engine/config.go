package engine

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"strata.dev/bridge/proto/abi"
)

// Config says how a module is compiled and bounded. The zero value is the
// safe choice: compiled code that can be stopped, 64 MiB an instance.
type Config struct {
	// SHA256 is the hash the bytes must have, in lower-case hex; other bytes are
	// refused. "" takes any bytes.
	SHA256 string

	// MemoryPages caps the linear memory of each guest, in pages of 64 KiB.
	// 0 is abi.MemoryPages, the most 65,536 (4 GiB). The whole is reserved at once, because a memory that
	// grows by copying costs the host about four times the cap.
	MemoryPages uint32

	// Interpreter runs the module without compiling it: it loads in a fraction
	// of the time and runs some thirty times slower. Its stack ends at 2,000
	// frames, so that deeply nested input traps where compiled code copes.
	Interpreter bool

	// Unstoppable leaves out the checks by which a running export can be
	// stopped. Code runs two to four times faster and a loop runs for ever: for
	// trusted bytes and benchmarks only. Deadlines then hold only between exports.
	Unstoppable bool

	// CacheDir keeps compiled code between processes, at most 256 MiB of the
	// newest; "" keeps none. It may be shared: entries are written whole and
	// renamed.
	CacheDir string

	// Step bounds one export. 0 is abi.MaxStepMs.
	Step time.Duration

	// Logger gets what guests log (attribute from=log), what they write to
	// stderr (from=stderr) and the details of faults; nil drops it all.
	Logger *slog.Logger
}

// UserCacheDir is where this user's compiled modules may be kept; "" when the
// system names no such place.
func UserCacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "strata-plugin")
}

func (c Config) withDefaults() Config {
	if c.MemoryPages == 0 {
		c.MemoryPages = abi.MemoryPages
	}
	if c.Step == 0 {
		c.Step = abi.MaxStepMs * time.Millisecond
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

func (c Config) runtime() wazero.RuntimeConfig {
	rc := wazero.NewRuntimeConfig()
	if c.Interpreter {
		rc = wazero.NewRuntimeConfigInterpreter()
	}
	return rc.
		WithMemoryLimitPages(min(c.MemoryPages, 65_536)). // more would panic
		WithMemoryCapacityFromMax(true).
		WithCloseOnContextDone(!c.Unstoppable)
}

// compiling gives the compiler both cores of a small machine: it halves a cold start.
func compiling(ctx context.Context) context.Context {
	return experimental.WithCompilationWorkers(ctx, 2)
}
