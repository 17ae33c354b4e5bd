package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/engine"
)

// report is what `inspect` tells of a module.
type report struct {
	Path      string              `json:"path"`
	Bytes     int                 `json:"bytes"`
	GzipBytes int                 `json:"gzipBytes"` // at gzip's best
	SHA256    string              `json:"sha256"`
	Memory    memory              `json:"memory"`
	Manifest  abi.Manifest        `json:"manifest"`
	Imports   map[string][]string `json:"imports"` // names by module, sorted
	Exports   []string            `json:"exports"` // functions, sorted
}

// memory counts pages of 64 KiB.
type memory struct {
	MinPages uint32 `json:"minPages"`
	CapPages uint32 `json:"capPages"`
}

func inspectCommand() *cobra.Command {
	var (
		m      module
		asJSON bool
	)
	c := &cobra.Command{
		Use:   "inspect",
		Short: "Show a module's plugins, op tables, imports, exports, size, hash and memory",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx := context.Background()
			e, wasm, err := m.load(ctx)
			if err != nil {
				return err
			}
			defer e.Close(ctx)
			r := inspect(m.path, e, wasm)
			if asJSON {
				enc := json.NewEncoder(os.Stdout)
				enc.SetIndent("", "  ")
				enc.SetEscapeHTML(false)
				return enc.Encode(r)
			}
			return r.print(os.Stdout)
		},
	}
	m.flags(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func inspect(path string, e *engine.Engine, wasm []byte) report {
	compiled := e.Compiled()
	r := report{
		Path: path, Bytes: len(wasm), GzipBytes: gzipped(wasm), SHA256: e.SHA256(),
		Memory:   memory{MinPages: compiled.ExportedMemories()["memory"].Min(), CapPages: abi.MemoryPages},
		Manifest: e.Manifest(),
		Imports:  map[string][]string{},
		Exports:  slices.Sorted(maps.Keys(compiled.ExportedFunctions())),
	}
	for _, f := range compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		r.Imports[module] = append(r.Imports[module], name)
	}
	for module, names := range r.Imports {
		slices.Sort(names)
		r.Imports[module] = slices.Compact(names) // Go imports some of WASI twice
	}
	return r
}

func gzipped(b []byte) int {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // a level that exists
	w.Write(b)                                              // into memory
	w.Close()
	return out.Len()
}

// print writes the report for a person.
func (r report) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "module\t%s\n", r.Path)
	fmt.Fprintf(w, "size\t%.2f MB, %.2f MB gzipped\n", float64(r.Bytes)/1e6, float64(r.GzipBytes)/1e6)
	fmt.Fprintf(w, "sha256\t%s\n", r.SHA256)
	fmt.Fprintf(w, "memory\t%.1f MiB at start, at most %d MiB\n", float64(r.Memory.MinPages)/16, r.Memory.CapPages/16)
	fmt.Fprintf(w, "abi\t%s\n", r.Manifest.ABI)
	for _, p := range r.Manifest.Plugins {
		fmt.Fprintf(w, "\nplugin %s\n", p.Name)
		fmt.Fprintf(w, "  op\truns\tdeadline\teffects\tdefault\n")
		for _, op := range p.Ops {
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\n", op.Name, runs(op), deadline(op), listed(op.Effects), fallback(op))
		}
	}
	for _, module := range slices.Sorted(maps.Keys(r.Imports)) {
		fmt.Fprintf(w, "\nimports from %s\n  %s\n", module, strings.Join(r.Imports[module], " "))
	}
	fmt.Fprintf(w, "\nexports\n  %s\n", strings.Join(r.Exports, "\n  "))
	return w.Flush()
}

func runs(op abi.Op) string {
	how := "async"
	if op.Sync {
		how = "sync"
	}
	if op.Worker {
		how += ", worker"
	}
	return how
}

func deadline(op abi.Op) string {
	if op.DeadlineMs == 0 {
		return "none"
	}
	return fmt.Sprintf("%d ms", op.DeadlineMs)
}

func listed(effects []string) string {
	if len(effects) == 0 {
		return "none"
	}
	return strings.Join(effects, " ")
}

// fallback is the default in a few words' room.
func fallback(op abi.Op) string {
	if op.Default == nil {
		return "none"
	}
	text := []rune(string(encode(op.Default)))
	if len(text) > 60 {
		text = append(text[:59], '…')
	}
	return string(text)
}
