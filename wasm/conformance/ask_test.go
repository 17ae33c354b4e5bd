package conformance

import (
	"fmt"
	"testing"

	"strata.dev/bridge/wasm/engine"
)

// asking opens an instance of a plugin on a host side, under the plugin's name. What it
// gives asks for one thing after the other; the instance is closed at the test's end.
func asking(t *testing.T, host Host, plugin string) (ask func(Command) Event) {
	t.Helper()
	r := &Runner{Host: host, Modules: modules}
	ask = func(c Command) Event {
		t.Helper()
		if err := host.Send(c); err != nil {
			t.Fatal(err)
		}
		e, err := r.next(r.patience())
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	open, err := r.command(fmt.Sprintf(`{"do":"open","instance":%q,"plugin":%q}`, plugin, plugin), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if e := ask(open); e.On != "opened" {
		t.Fatalf("opening %s: %+v", plugin, e)
	}
	t.Cleanup(func() {
		if e := ask(Command{Do: "close", Instance: plugin}); e.On != "closed" {
			t.Errorf("closing %s: %+v", plugin, e)
		}
	})
	return ask
}

// namedHost is a host side, and what it is called in a test's words.
type namedHost struct {
	name string
	Host
}

// everywhere gives the three host sides, each with an instance opened by a command.
func everywhere(f *testing.F, open string) []namedHost {
	hosts := []namedHost{
		{"native", startNative(f)},
		{"wazero", engineHost(f, engine.Config{CacheDir: engine.UserCacheDir(), Unstoppable: true})},
		{"the shim", startShim(f)},
	}
	for _, h := range hosts {
		r := &Runner{Host: h, Modules: modules}
		command, err := r.command(open, f.TempDir())
		if err != nil {
			f.Fatal(err)
		}
		if err := h.Send(command); err != nil {
			f.Fatal(err)
		}
		if e, err := r.next(r.patience()); err != nil || e.On != "opened" {
			f.Fatalf("opening %s on %s: %+v, %v", command.Instance, h.name, e, err)
		}
	}
	return hosts
}
