package eventsmux_test

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"strata.dev/bridge/host/internal/gateway/eventsmux"
	"strata.dev/bridge/host/internal/harness"
	"strata.dev/bridge/host/internal/harness/harnesstest"
)

// rig is a real Harness, fenced, with a scripted model and a gate that asks.
type rig struct {
	home, repo string
	model      *model
	process    *harness.Process
}

// newRig starts it; it ends with the test.
func newRig(t *testing.T) *rig {
	t.Helper()
	dir := harnesstest.Dir(t)
	r := &rig{home: filepath.Join(dir, "home"), repo: filepath.Join(dir, "repo"), model: newModel(t)}
	harnesstest.Write(t, filepath.Join(r.repo, "a.txt"), "hello\n")
	ask, err := filepath.Abs("testdata/ask.mjs")
	if err != nil {
		t.Fatal(err)
	}
	fence := filepath.Join(harnesstest.Root(t), "shim", "fence.mjs")
	harnesstest.Plain(t, r.home, r.model.URL+"/v1", fmt.Sprintf("- insert: [{id: strata-fence, name: %q}, {id: test-ask, name: %q}]\n", fence, ask)+`
- id: permission
  config:
    presets:
      read-only: {sandbox: read-only, approval: ask}
      workspace-write: {sandbox: workspace-write, approval: ask}
      danger-full-access: {sandbox: danger-full-access, approval: never}
      strata-manual: {sandbox: danger-full-access, approval: ask}
`)
	r.start(t)
	t.Cleanup(func() { r.stop(t) })
	return r
}

func (r *rig) start(t *testing.T) {
	t.Helper()
	p, err := harness.Start(t.Context(), harness.Config{
		Component: harnesstest.Component(t), Node: harnesstest.Node(t),
		Home: r.home, Profile: "strata", RouteKey: "route-key",
	})
	if err != nil {
		t.Fatal(err)
	}
	r.process = p
}

func (r *rig) stop(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := r.process.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// kill ends the process as a crash does.
func (r *rig) kill(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(r.process.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-r.process.Done()
}

// dial connects to the process, or to what stands in front of it at address.
func (r *rig) dial(t *testing.T, address string) *eventsmux.Gateway {
	t.Helper()
	if address == "" {
		address = r.process.URL()
	}
	gw, err := eventsmux.Dial(t.Context(), eventsmux.Options{BaseURL: address, Secret: r.process.Secret()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := gw.Close(); err != nil {
			t.Error(err)
		}
	})
	return gw
}
