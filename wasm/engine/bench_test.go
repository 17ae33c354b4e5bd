package engine_test

import (
	"bytes"
	"context"
	"os"
	"testing"

	"strata.dev/bridge/wasm/engine"
)

// BenchmarkDecision is one decision of the gate per op, over its golden calls
// and as JSON in and out, on each way to run a module.
func BenchmarkDecision(b *testing.B) {
	module, err := os.ReadFile(modules["gate"])
	if err != nil {
		b.Fatal(err)
	}
	calls, err := os.ReadFile("../../plugins/gate/testdata/calls.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	heads := bytes.Split(bytes.TrimSpace(calls), []byte("\n"))
	for _, way := range []struct {
		name string
		cfg  engine.Config
	}{
		{"compiler", engine.Config{Unstoppable: true}},
		{"compiler-stoppable", engine.Config{}},
		{"interpreter", engine.Config{Interpreter: true, Unstoppable: true}},
		{"interpreter-stoppable", engine.Config{Interpreter: true}},
	} {
		b.Run(way.name, func(b *testing.B) {
			ctx := context.Background()
			e, err := engine.New(ctx, module, way.cfg)
			if err != nil {
				b.Fatal(err)
			}
			defer e.Close(ctx)
			gate, err := e.Instance("gate", engine.Options{})
			if err != nil {
				b.Fatal(err)
			}
			if err := gate.Start(ctx); err != nil {
				b.Fatal(err)
			}
			for i := 0; b.Loop(); i++ {
				if _, _, err := gate.Call(ctx, "decide", heads[i%len(heads)], nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStart is what stands between a module's bytes and its first answer.
func BenchmarkStart(b *testing.B) {
	module, err := os.ReadFile(modules["gate"])
	if err != nil {
		b.Fatal(err)
	}
	for _, way := range []struct {
		name string
		cfg  engine.Config
	}{
		{"compiler", engine.Config{}},
		{"compiler-cached", engine.Config{CacheDir: b.TempDir()}},
		{"interpreter", engine.Config{Interpreter: true}},
	} {
		b.Run(way.name, func(b *testing.B) {
			ctx := context.Background()
			for b.Loop() {
				e, err := engine.New(ctx, module, way.cfg)
				if err != nil {
					b.Fatal(err)
				}
				gate, err := e.Instance("gate", engine.Options{})
				if err != nil {
					b.Fatal(err)
				}
				if _, _, err := gate.Call(ctx, "decide", []byte(`{"tool":"bash","arguments":{"command":"ls"}}`), nil); err != nil {
					b.Fatal(err)
				}
				e.Close(ctx)
			}
		})
	}
}

// BenchmarkParse reads a page of ten results, of 25 KB, as the search plugin does.
func BenchmarkParse(b *testing.B) {
	module, err := os.ReadFile(modules["search"])
	if err != nil {
		b.Fatal(err)
	}
	page, err := os.ReadFile("../../plugins/search/testdata/pages/ddg-01-normal.html")
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	e, err := engine.New(ctx, module, engine.Config{Unstoppable: true})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close(ctx)
	search, err := e.Instance("search", engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	head := []byte(`{"engine":"duckduckgo-html","query":"q","http":{"status":200,"headers":{"content-type":"text/html; charset=utf-8"}}}`)
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		if out, _, err := search.Call(ctx, "parse", head, page); err != nil || !bytes.Contains(out, []byte(`"outcome":"results"`)) {
			b.Fatal(string(out), err)
		}
	}
}
