package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"strata.dev/bridge/wasm/conformance"
	"strata.dev/bridge/wasm/engine"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"strata-plugin": main})
}

// The scripts run the command as a person does, with guests built from source:
// $GATE is strata.wasm, $PROBE and $ROGUE those of the conformance kit.
func TestScripts(t *testing.T) {
	modules, err := conformance.BuildAll("../../..", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("GATE", modules["gate"])
			env.Setenv("PROBE", modules["probe"])
			env.Setenv("ROGUE", modules["rogue"])
			env.Setenv("XDG_CACHE_HOME", filepath.Dir(engine.UserCacheDir())) // compile once for all tests
			return nil
		},
	})
}
