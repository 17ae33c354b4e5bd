package main

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"strata.dev/bridge/wasm/conformance"
	"strata.dev/bridge/wasm/engine"
)

func TestMain(m *testing.M) {
	testscript.Main(tidied{m}, map[string]func(){"strata-plugin": main})
}

// tidied removes what the tests built when they have ended.
type tidied struct{ m *testing.M }

func (r tidied) Run() int {
	defer func() { os.RemoveAll(built) }()
	return r.m.Run()
}

var built string // folder of the guests

// guests builds the modules of the tests, once.
var guests = sync.OnceValues(func() (_ map[string]string, err error) {
	if built, err = os.MkdirTemp("", "strata-plugin"); err != nil {
		return nil, err
	}
	return conformance.BuildAll("../../..", built)
})

// The scripts run the command as a person does, with guests built from source:
// $GATE is strata.wasm, $PROBE and $ROGUE those of the conformance kit.
func TestScripts(t *testing.T) {
	modules, err := guests()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("GATE", modules["gate"])
			env.Setenv("PROBE", modules["probe"])
			env.Setenv("ROGUE", modules["rogue"])
			// Under the race detector each start would take seconds; what runs at once
			// in the command is the engine, whose own tests have it.
			env.Setenv("PATH", built+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("XDG_CACHE_HOME", filepath.Dir(engine.UserCacheDir())) // compile once for all tests
			return nil
		},
	})
}
