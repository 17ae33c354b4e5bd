package tools

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// keys are those of the search services, in the store that has all keys.
type keys struct {
	store  *connections.KeyStore
	kept   map[string]connections.KeyRef // by service
	plain  []string                      // services whose keys are in the settings file yet
	unread error
}

// open reads the keys, and takes those that are none yet from the settings file.
func (k *keys) open(ctx context.Context, plain map[string]string) map[string]connections.Key {
	out := map[string]connections.Key{}
	k.reread(ctx, out)
	for _, service := range slices.Sorted(maps.Keys(plain)) {
		if k.kept[service] != (connections.KeyRef{}) { // a newer one
			continue
		}
		if key, err := connections.SearchKey(plain[service]); err == nil {
			out[service] = key
			k.plain = append(k.plain, service)
		}
	}
	return out
}

// reread reads the keys that are not known. One that cannot be read is left out: the
// person is asked for it again.
func (k *keys) reread(ctx context.Context, known map[string]connections.Key) {
	k.unread = nil
	for _, service := range slices.Sorted(maps.Keys(k.kept)) {
		if !known[service].IsZero() {
			continue
		}
		key, err := k.store.Get(ctx, k.kept[service])
		if err != nil {
			k.unread = errors.Join(k.unread, fmt.Errorf("%s: %w", service, err))
			continue
		}
		known[service] = key
	}
}

// move keeps the keys that are in the settings file, and tells where all are then.
func (k *keys) move(ctx context.Context, all map[string]connections.Key) (kept map[string]connections.KeyRef, err error) {
	kept = maps.Clone(k.kept)
	for _, service := range k.plain {
		if err == nil {
			kept, err = (&keys{store: k.store, kept: kept}).put(ctx, service, all[service])
		}
	}
	return kept, err
}

// put keeps a service's key, and tells where all are then.
func (k *keys) put(ctx context.Context, service string, key connections.Key) (map[string]connections.KeyRef, error) {
	kept := maps.Clone(k.kept)
	if kept == nil {
		kept = map[string]connections.KeyRef{}
	}
	ref, err := k.store.Put(ctx, key)
	if err != nil {
		return kept, say.Error(chat.CodeInternal, key.Redact(err.Error()), say.KeyUnkept)
	}
	if kept[service] = ref; key.IsZero() {
		delete(kept, service)
	}
	return kept, nil
}

// rehouse keeps the keys of the file in the keyring, where that can be asked, and tells
// where all are then.
func (k *keys) rehouse(ctx context.Context) (map[string]connections.KeyRef, error) {
	kept := maps.Clone(k.kept)
	var errs error
	for service, ref := range k.kept {
		next, err := k.store.Rehouse(ctx, ref)
		kept[service], errs = next, errors.Join(errs, err)
	}
	return kept, errs
}

// drop forgets keys, but those that are kept on.
func (k *keys) drop(ctx context.Context, all, but map[string]connections.KeyRef) (err error) {
	for service, ref := range all {
		if but[service] != ref {
			err = errors.Join(err, k.store.Delete(ctx, ref))
		}
	}
	return err
}
