package connections

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"strata.dev/bridge/proto/chat"
)

// Kept is where keys are: in the file while one is there, or while the next one would go
// there.
func (s *KeyStore) Kept() chat.KeyPlace {
	place := s.Place()
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, err := s.read(); err == nil && len(f.Keys) > 0 {
		return chat.KeyInFile
	}
	return place
}

// Rehouse keeps a key of the file in the keyring too, where that can be asked, and says
// where it is then; the caller writes that down and deletes the old one. What cannot be
// moved stays where it is.
func (s *KeyStore) Rehouse(ctx context.Context, ref KeyRef) (KeyRef, error) {
	if ref.Place != chat.KeyInFile || s.Place() != chat.KeyInKeyring {
		return ref, nil
	}
	key, err := s.Get(ctx, ref)
	if err != nil {
		return ref, err
	}
	next, err := s.Put(ctx, key)
	if err != nil {
		return ref, err
	}
	if next.Place == chat.KeyInFile { // the keyring was not to be asked after all
		return ref, s.Delete(ctx, next)
	}
	return next, nil
}

// Tidy takes out the keys that are nobody's: a host was killed before it had written down
// whose they are or had forgotten them, or the keyring did not answer when one was to be
// made or forgotten. Named tells whether anything refers to an account. The caller is the
// only one who changes the data folder.
func (s *KeyStore) Tidy(ctx context.Context, named func(account string) bool) error {
	s.mu.Lock()
	f, err := s.read()
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("forgetting keys: %w", err)
	}
	for account := range f.Keys {
		if !named(account) {
			err = errors.Join(err, s.Delete(ctx, KeyRef{Place: chat.KeyInFile, Account: account}))
		}
	}
	if s.Place() == chat.KeyInKeyring {
		for _, account := range slices.Concat(f.Forget, slices.DeleteFunc(f.Ring, named)) {
			err = errors.Join(err, s.unset(ctx, account))
		}
	}
	if err != nil {
		return fmt.Errorf("forgetting keys: %w", err)
	}
	return nil
}
