package engine_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/conformance"
	"strata.dev/bridge/wasm/engine"
)

// patient is a step bound that a slow export on a busy machine does not reach.
const patient = 5 * time.Minute

// modules are those of the conformance kit, by plugin.
var modules map[string]string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "engine")
	if err == nil {
		modules, err = conformance.BuildAll("../..", dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// open starts a plugin on an engine of its own, which the test closes.
func open(t testing.TB, plugin string, cfg engine.Config, o engine.Options) *engine.Instance {
	t.Helper()
	module, err := os.ReadFile(modules[plugin])
	if err != nil {
		t.Fatal(err)
	}
	cfg.CacheDir = engine.UserCacheDir() // a compile takes seconds, more under -race
	cfg.Step = cmp.Or(cfg.Step, patient)
	e, err := engine.New(t.Context(), module, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	in, err := e.Instance(plugin, o)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// outcome is what a call gave, for comparing.
type outcome struct {
	Head, Body string
	Err        *engine.Error
}

func call(ctx context.Context, in *engine.Instance, op, head, body string) outcome {
	h, b, err := in.Call(ctx, op, []byte(head), []byte(body))
	o := outcome{Head: string(h), Body: string(b)}
	errors.As(err, &o.Err)
	return o
}

// expect compares an outcome, but for the detail of its error.
func expect(t testing.TB, what string, want, got outcome) {
	t.Helper()
	if got.Err != nil {
		bare := *got.Err
		bare.Detail = ""
		got.Err = &bare
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// told is the error of a code and a sentence.
func told(fault bool, code, sentence string, pairs ...string) *engine.Error {
	return &engine.Error{Fault: fault, EffectError: abi.EffectError{Code: code, Message: abi.Fill(sentence, pairs...)}}
}
