package main

import (
	"bytes"
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
	"strata.dev/bridge/host/internal/tools"
	"strata.dev/bridge/proto/chat"
)

// ringWait is how long the start waits for the system's keyring; what it has not given by
// then a test of the connection asks for again.
const ringWait = 5 * time.Second

// openKeys opens the place of keys of a data folder.
func openKeys(ctx context.Context, data, place string) *connections.KeyStore {
	var ring connections.Ring
	if place == keysInRing {
		ring = connections.SystemRing(os.Getenv)
	}
	keys := connections.NewKeyStore(ring, filepath.Join(data, "keys.json"))
	keys.Probe(ctx)
	return keys
}

// openSaved opens what a data folder has of the person's: the model connections, beside
// those of the flags, and the settings of the tools.
func openSaved(ctx context.Context, f flags, fixed []connections.Connection, redactor *redact.Redactor, log *zap.Logger) (*models.Registry, *tools.Settings, *connections.KeyStore, error) {
	within, cancel := context.WithTimeout(ctx, ringWait)
	defer cancel()
	keys := openKeys(within, f.data, f.keys)
	registry, err := models.Open(within, models.Options{
		Dir: f.data, Keys: keys, Fixed: fixed, Secret: func(k connections.Key) { k.Register(redactor) }, Redact: redactor.Text, Log: log.Named("models"),
	})
	if err != nil {
		return nil, nil, nil, savedError(f.data, err)
	}
	chosen, err := tools.Open(within, settingsFile(f.data), keys)
	if err != nil {
		return nil, nil, nil, savedError(f.data, err)
	}
	if err := chosen.Unread(); err != nil {
		log.Warn("a search service's key was not read", zap.Error(err))
	}
	return registry, chosen, keys, nil
}

// tidyKeys moves keys to where they belong, and takes out those that are nobody's. What it
// cannot do now it does at the next start.
func tidyKeys(ctx context.Context, data string, keys *connections.KeyStore, registry *models.Registry, chosen *tools.Settings, log *zap.Logger) {
	ctx, cancel := context.WithTimeout(ctx, ringWait)
	defer cancel()
	err := errors.Join(registry.Settle(ctx), chosen.Settle(ctx))
	saved, e := savedText(data, keys.Path())
	if err = errors.Join(err, e); e == nil {
		err = errors.Join(err, keys.Tidy(ctx, func(account string) bool { return bytes.Contains(saved, []byte(account)) }))
	}
	if err != nil {
		log.Warn("keys are not in order", zap.Error(err))
	}
}

// savedText is all that is saved in a data folder's own files, but the one of the keys. A
// key that another version's setting refers to is found in it as well.
func savedText(data, but string) ([]byte, error) {
	files, err := filepath.Glob(filepath.Join(data, "*.json"))
	if err != nil {
		return nil, err
	}
	var all []byte
	for _, path := range files {
		if path == but {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		all = append(all, text...)
	}
	return all, nil
}

// savedError is what a person reads where something saved cannot be read.
func savedError(data string, err error) error {
	if errors.Is(err, models.ErrNewer) || errors.Is(err, tools.ErrNewer) {
		return say.Error(chat.CodeInternal, err.Error(), say.DataNewer, "path", data)
	}
	return say.Error(chat.CodeInternal, err.Error(), say.DataUnusable, "path", data)
}
