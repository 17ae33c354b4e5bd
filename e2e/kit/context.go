package kit

import (
	"context"
	"testing"
	"time"

	"strata.dev/bridge/e2e/scriptmodel"
)

// patience is how long a test may wait in all: builds included, far more than any needs on a busy
// machine. Nothing is measured by it; it turns a hang into a failure that says
// what was waited for.
const patience = 4 * time.Minute

// Context is the test's context. It ends with the test or when patience does.
func Context(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// StartModel starts a scripted model that is closed with the test.
func StartModel(t testing.TB, config scriptmodel.Config) *scriptmodel.Model {
	t.Helper()
	m, err := scriptmodel.Start(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Errorf("closing the model: %v", err)
		}
	})
	return m
}
