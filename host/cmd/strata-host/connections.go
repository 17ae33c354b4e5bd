package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/models"
	"strata.dev/bridge/host/internal/redact"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// ringWait is how long the start waits for the system's keyring; what it has not given by
// then a test of the connection asks for again.
const ringWait = 5 * time.Second

// openModels opens the model connections of a data folder, beside those of the flags.
func openModels(ctx context.Context, f flags, fixed []connections.Connection, redactor *redact.Redactor, log *zap.Logger) (*models.Registry, error) {
	var ring connections.Ring
	if f.keys == "keyring" {
		ring = connections.SystemRing(os.Getenv)
	}
	keys := connections.NewKeyStore(ring, filepath.Join(f.data, "keys.json"))
	within, cancel := context.WithTimeout(ctx, ringWait)
	defer cancel()
	keys.Probe(within)
	r, err := models.Open(within, models.Options{
		Dir: f.data, Keys: keys, Fixed: fixed, Secret: func(k connections.Key) { k.Register(redactor) }, Redact: redactor.Text, Log: log.Named("models"),
	})
	if errors.Is(err, models.ErrNewer) {
		return nil, say.Error(chat.CodeInternal, err.Error(), say.DataNewer, "path", f.data)
	}
	if err != nil {
		return nil, say.Error(chat.CodeInternal, err.Error(), say.DataUnusable, "path", f.data)
	}
	return r, nil
}
