// Package muxport makes a Harness component that speaks the modern wire,
// remote.mux, out of the pinned 0.1.0: test support. The wire itself is in the
// .mjs files beside this one, a plugin that opens a port of its own in the real
// process (plugin.mjs says how).
package muxport

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Shapes of the wire.
const (
	Shape02  = "0.2"   // projections alone in session/control, items from the client
	Shape015 = "0.1.5" // queues and jobs in session/control, no session/projections
)

// Options says what is spoken.
type Options struct {
	Shape       string // "" is Shape02
	Version     string // that it says it is; "" is the installed one's
	Attachments string // name of the third argument of commands/execute; "" is submittedAttachments
	// HeartbeatMs is the time between two pings in milliseconds; 0 is the wire's
	// own 2,000.
	HeartbeatMs int
}

// Component makes a folder that the host takes as an installed Harness. Dir is new
// and absolute; sources is the folder of the .mjs files; pkg is the folder of the
// installed package @deepseek-ai/dsh. What must outlive a process is kept in dir.
func Component(dir, sources, pkg string, o Options) error {
	if o.Shape == "" {
		o.Shape = Shape02
	}
	config := map[string]any{"shape": o.Shape, "state": filepath.Join(dir, "state")}
	if o.Attachments != "" {
		config["attachments"] = o.Attachments
	}
	if o.HeartbeatMs != 0 {
		config["heartbeatMs"] = o.HeartbeatMs
	}
	fail := func(err error) error { return fmt.Errorf("making the remote.mux component: %w", err) }
	pkg, err := filepath.EvalSymlinks(pkg)
	if err != nil {
		return fail(err)
	}
	data, err := os.ReadFile(filepath.Join(pkg, "package.json"))
	if err != nil {
		return fail(err)
	}
	var manifest struct {
		Name    string            `json:"name"`
		Version string            `json:"version"`
		Type    string            `json:"type"`
		Bin     map[string]string `json:"bin"`
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		return fail(err)
	}
	manifest.Version = cmp.Or(o.Version, manifest.Version)
	bin := filepath.Join(pkg, filepath.FromSlash(manifest.Bin["dsh"]))
	manifest.Bin = map[string]string{"dsh": "start.mjs"}
	patch := filepath.Join(dir, "patch.yml")
	err = errors.Join(
		os.Mkdir(dir, 0o755),
		Neighbours(dir, filepath.Dir(pkg)),
		os.Symlink(filepath.Join(pkg, "config"), filepath.Join(dir, "config")),
		writeJSON(filepath.Join(dir, "package.json"), "%s\n", manifest),
		writeJSON(patch, "%s\n", []any{map[string]any{"insert": []any{
			map[string]any{"id": "strata-muxport", "name": filepath.Join(sources, "plugin.mjs"), "config": config},
		}}}),
		writeJSON(filepath.Join(dir, "start.mjs"), "const [launcher, bin, patch] = %s\n"+
			"const { launch } = await import(launcher)\nawait launch(bin, patch)\n",
			[]string{filepath.Join(sources, "launch.mjs"), bin, patch}),
	)
	if err != nil {
		return fail(err)
	}
	return nil
}

// writeJSON writes a file with a value as JSON, which YAML and JavaScript read too.
func writeJSON(path, format string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, fmt.Appendf(nil, format, data), 0o644)
}

// Neighbours links the packages beside the Harness's own, in the folder of their scope,
// into a component in dir: they tell what it can do. Not the Harness itself, which the
// host would take for the component.
func Neighbours(dir, scope string) error {
	to := filepath.Join(dir, "node_modules", filepath.Base(scope))
	entries, err := os.ReadDir(scope)
	err = errors.Join(err, os.MkdirAll(to, 0o755))
	for _, e := range entries {
		if e.Name() != "dsh" {
			err = errors.Join(err, os.Symlink(filepath.Join(scope, e.Name()), filepath.Join(to, e.Name())))
		}
	}
	return err
}
