package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"strata.dev/bridge/proto/abi"
)

// Engine is one compiled module and the runtime it lives in.
type Engine struct {
	cfg      Config
	runtime  wazero.Runtime
	cache    wazero.CompilationCache // nil when nothing is kept
	compiled wazero.CompiledModule
	sum      string
	manifest abi.Manifest
	tables   tables

	mu        sync.Mutex
	instances []*Instance
}

// New verifies, compiles and describes a module. Bytes that are not the
// expected ones or that no host could run are an *Error with code "refused".
func New(ctx context.Context, module []byte, cfg Config) (*Engine, error) {
	cfg = cfg.withDefaults()
	sum := sha256.Sum256(module)
	e := &Engine{cfg: cfg, sum: hex.EncodeToString(sum[:])}
	if cfg.SHA256 != "" && cfg.SHA256 != e.sum {
		return nil, refusal(abi.CodeRefused, abi.MsgHash)
	}
	rc := cfg.runtime()
	if cfg.CacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(cfg.CacheDir)
		if err != nil {
			return nil, fmt.Errorf("opening the compile cache: %w", err)
		}
		e.cache, rc = cache, rc.WithCompilationCache(cache)
	}
	e.runtime = wazero.NewRuntimeWithConfig(ctx, rc)
	if err := e.load(ctx, module); err != nil {
		e.Close(ctx)
		return nil, err
	}
	if cfg.CacheDir != "" {
		pruneCache(cfg.CacheDir, cacheLimit)
	}
	return e, nil
}

// load compiles the module and reads its manifest from a guest of its own.
func (e *Engine) load(ctx context.Context, module []byte) error {
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, e.runtime); err != nil {
		return fmt.Errorf("offering WASI: %w", err)
	}
	if err := offerHost(ctx, e.runtime); err != nil {
		return fmt.Errorf("offering the host's imports: %w", err)
	}
	compiled, err := e.runtime.CompileModule(compiling(ctx), module)
	if err != nil {
		return e.notAModule(err.Error())
	}
	e.compiled = compiled
	if missing := missingExports(compiled); len(missing) > 0 {
		return e.notAModule(fmt.Sprintf("it does not export %q", missing))
	}
	if foreign := e.foreignImports(); len(foreign) > 0 {
		return e.notAModule(fmt.Sprintf("it imports %q", foreign))
	}
	g, broken := e.newGuest(ctx, e.cfg.Logger)
	if broken != nil {
		return broken
	}
	defer g.close(ctx)
	head, broken := g.callZero(ctx, g.describe)
	if broken != nil {
		return broken
	}
	if e.manifest, e.tables, err = parseManifest(head); err != nil {
		broken = violation(abi.RuleManifest).fault()
		broken.Detail = err.Error()
		return broken
	}
	if e.manifest.ABI != abi.Version {
		return refusal(abi.CodeRefused, abi.MsgABI, "got", e.manifest.ABI, "want", abi.Version)
	}
	return nil
}

func (e *Engine) notAModule(detail string) *Error {
	err := refusal(abi.CodeRefused, abi.MsgModule)
	err.Detail = detail
	return err
}

// missingExports are the exports of the world that a module does not have.
func missingExports(m wazero.CompiledModule) []string {
	var missing []string
	for _, name := range slices.Concat([]string{exportRealloc}, exports) {
		if _, ok := m.ExportedFunctions()[name]; !ok {
			missing = append(missing, name)
		}
	}
	if _, ok := m.ExportedMemories()["memory"]; !ok {
		missing = append(missing, "memory")
	}
	return missing
}

// foreignImports are the functions that a module wants and nobody has.
func (e *Engine) foreignImports() []string {
	var foreign []string
	for _, f := range e.compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		if offers := e.runtime.Module(module); offers == nil || offers.ExportedFunctionDefinitions()[name] == nil {
			foreign = append(foreign, module+" "+name)
		}
	}
	return foreign
}

// Manifest is what the module said of itself.
func (e *Engine) Manifest() abi.Manifest { return e.manifest }

// SHA256 is the hash of the module's bytes, in lower-case hex.
func (e *Engine) SHA256() string { return e.sum }

// Compiled tells the module's imports, exports and memory.
func (e *Engine) Compiled() wazero.CompiledModule { return e.compiled }

// Options are what an instance gets. The zero value offers nothing.
type Options struct {
	// Config is what init gets.
	Config []byte
	// Effects are the kinds it is offered.
	Effects Effects
	// Logger gets what its guests log; nil is the engine's.
	Logger *slog.Logger
}

// Instance is one plugin of the module. Its guest starts with the first call or
// with [Instance.Start].
func (e *Engine) Instance(plugin string, o Options) (*Instance, error) {
	table, ok := e.tables[plugin]
	if !ok {
		return nil, refusal(abi.CodeUnknownPlugin, abi.MsgPlugin, "plugin", plugin)
	}
	if o.Logger == nil {
		o.Logger = e.cfg.Logger
	}
	in := newInstance(e, plugin, table, o)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.instances = append(e.instances, in)
	return in, nil
}

// Close closes every instance, as [Instance.Close] does, and frees the module.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	instances := e.instances
	e.instances = nil
	e.mu.Unlock()
	for _, in := range instances {
		in.Close()
	}
	err := e.runtime.Close(ctx)
	if e.cache != nil {
		e.cache.Close(ctx)
	}
	return err
}
