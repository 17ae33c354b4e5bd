package connections

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/zalando/go-keyring"

	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/proto/chat"
)

// ringService is what our entries of a keyring are found by.
const ringService = "Strata model connections"

// ringLimit is how long a keyring may take, which is as long as a person may take to
// unlock it before the key goes into the file instead.
const ringLimit = 30 * time.Second

// KeyRef says where a key is kept.
type KeyRef struct {
	Place   chat.KeyPlace `json:"place,omitempty"` // "" is nowhere
	Account string        `json:"account,omitempty"`
}

// KeyStore keeps keys in the system's keyring, or else in one file for its user alone.
// It may be used from many goroutines.
type KeyStore struct {
	ring  Ring // nil: the file alone
	path  string
	limit time.Duration

	mu   sync.Mutex // of the file
	lost bool       // the keyring did not take a key: guarded by mu
}

// NewKeyStore gives a KeyStore with the file at path. Ring nil leaves the keyring alone.
func NewKeyStore(ring Ring, path string) *KeyStore {
	return &KeyStore{ring: ring, path: path, limit: ringLimit}
}

// Path is the file's.
func (s *KeyStore) Path() string { return s.path }

// Place is where the next key would be kept, as far as is known before it is tried.
func (s *KeyStore) Place() chat.KeyPlace {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ring == nil || s.lost {
		return chat.KeyInFile
	}
	return chat.KeyInKeyring
}

// Probe finds out whether there is a keyring that can be asked, so that Place is right
// from the beginning.
func (s *KeyStore) Probe(ctx context.Context) {
	if s.ring == nil {
		return
	}
	_, err := s.ask(ctx, func() (string, error) { return s.ring.Get(ringService, "probe") })
	if err != nil && !errors.Is(err, keyring.ErrNotFound) {
		s.lose()
	}
}

func (s *KeyStore) lose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost = true
}

// Put keeps a key and says where; no key is kept nowhere.
func (s *KeyStore) Put(ctx context.Context, key Key) (KeyRef, error) {
	if key.IsZero() {
		return KeyRef{}, nil
	}
	ref := KeyRef{Place: s.Place(), Account: rand.Text()}
	if ref.Place == chat.KeyInKeyring {
		_, err := s.ask(ctx, func() (string, error) { return "", s.ring.Set(ringService, ref.Account, key.reveal()) })
		if err == nil {
			return ref, nil
		}
		if ctx.Err() != nil {
			return KeyRef{}, fmt.Errorf("keeping a key: %w", ctx.Err())
		}
		s.lose()
		ref.Place = chat.KeyInFile
	}
	if err := s.change(func(keys map[string]string) { keys[ref.Account] = key.reveal() }); err != nil {
		return KeyRef{}, fmt.Errorf("keeping a key: %w", err)
	}
	return ref, nil
}

// Get gives a key; none for what is kept nowhere.
func (s *KeyStore) Get(ctx context.Context, ref KeyRef) (Key, error) {
	var secret string
	var err error
	switch {
	case ref.Place == "":
		return Key{}, nil
	case ref.Place == chat.KeyInKeyring && s.ring == nil:
		err = errors.New("it is in the keyring, which is not used")
	case ref.Place == chat.KeyInKeyring:
		secret, err = s.ask(ctx, func() (string, error) { return s.ring.Get(ringService, ref.Account) })
	default:
		var keys map[string]string
		if keys, err = s.read(); err == nil && keys[ref.Account] == "" {
			err = errors.New("it is not in the file")
		}
		secret = keys[ref.Account]
	}
	if err != nil {
		return Key{}, fmt.Errorf("finding a key: %w", err)
	}
	return NewKey(secret)
}

// Delete forgets a key.
func (s *KeyStore) Delete(ctx context.Context, ref KeyRef) error {
	var err error
	switch {
	case ref.Place == "", ref.Place == chat.KeyInKeyring && s.ring == nil:
	case ref.Place == chat.KeyInKeyring:
		_, err = s.ask(ctx, func() (string, error) { return "", s.ring.Delete(ringService, ref.Account) })
		if errors.Is(err, keyring.ErrNotFound) {
			err = nil
		}
	default:
		err = s.change(func(keys map[string]string) { delete(keys, ref.Account) })
	}
	if err != nil {
		return fmt.Errorf("forgetting a key: %w", err)
	}
	return nil
}

// ask makes a call of the keyring, which cannot be cancelled: one that takes too long is
// left to end by itself.
func (s *KeyStore) ask(ctx context.Context, call func() (string, error)) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	type answer struct {
		secret string
		err    error
	}
	done := make(chan answer, 1)
	go func() {
		secret, err := call()
		done <- answer{secret, err}
	}()
	select {
	case a := <-done:
		return a.secret, a.err
	case <-ctx.Done():
		return "", fmt.Errorf("the keyring did not answer: %w", ctx.Err())
	}
}

// keyFile is what the file holds.
type keyFile struct {
	Version int               `json:"version"`
	Keys    map[string]string `json:"keys"`
}

const keyFileVersion = 1

func (s *KeyStore) read() (map[string]string, error) {
	var f keyFile
	err := store.ReadJSON(s.path, &f)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return map[string]string{}, nil
	case err != nil:
		return nil, err
	case f.Version > keyFileVersion:
		return nil, fmt.Errorf("%s was written by a newer Strata", s.path)
	case f.Keys == nil:
		return map[string]string{}, nil
	}
	return f.Keys, nil
}

func (s *KeyStore) change(change func(map[string]string)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys, err := s.read()
	if err != nil {
		return err
	}
	change(keys)
	return store.WriteJSON(s.path, keyFile{keyFileVersion, keys})
}
