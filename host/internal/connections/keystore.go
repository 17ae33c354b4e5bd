package connections

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"slices"
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
	lost bool       // the keyring cannot be used now: guarded by mu
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
	_, _, err := s.ask(ctx, func() (string, error) { return s.ring.Get(ringService, "probe") })
	if err != nil && !errors.Is(err, keyring.ErrNotFound) {
		s.setLost(true)
	}
}

func (s *KeyStore) setLost(lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost = lost
}

// Put keeps a key and says where; no key is kept nowhere.
func (s *KeyStore) Put(ctx context.Context, key Key) (KeyRef, error) {
	if key.IsZero() {
		return KeyRef{}, nil
	}
	ref := KeyRef{Place: s.Place(), Account: rand.Text()}
	if ref.Place == chat.KeyInKeyring {
		if err := s.change(func(f *keyFile) { f.Ring = append(f.Ring, ref.Account) }); err != nil {
			return KeyRef{}, fmt.Errorf("keeping a key: %w", err)
		}
		_, late, err := s.ask(ctx, func() (string, error) { return "", s.ring.Set(ringService, ref.Account, key.reveal()) })
		if err == nil {
			return ref, nil
		}
		if late != nil {
			s.unwanted(ref.Account, late)
		}
		if ctx.Err() != nil {
			return KeyRef{}, fmt.Errorf("keeping a key: %w", ctx.Err())
		}
		s.setLost(true)
		ref.Place = chat.KeyInFile
	}
	if err := s.change(func(f *keyFile) { f.Keys[ref.Account] = key.reveal() }); err != nil {
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
		if secret, _, err = s.ask(ctx, func() (string, error) { return s.ring.Get(ringService, ref.Account) }); err == nil {
			s.setLost(false) // it was locked, and is open again
		}
	default:
		var f keyFile
		if f, err = s.read(); err == nil && f.Keys[ref.Account] == "" {
			err = errors.New("it is not in the file")
		}
		secret = f.Keys[ref.Account]
	}
	if err != nil {
		return Key{}, fmt.Errorf("finding a key: %w", err)
	}
	return NewKey(secret)
}

// Delete forgets a key. What the keyring does not let go of now it is asked to at the
// next start (Tidy).
func (s *KeyStore) Delete(ctx context.Context, ref KeyRef) error {
	var err error
	switch {
	case ref.Place == "", ref.Place == chat.KeyInKeyring && s.ring == nil:
	case ref.Place == chat.KeyInKeyring:
		if err = s.unset(ctx, ref.Account); err != nil {
			err = s.change(func(f *keyFile) { f.Forget = append(f.Forget, ref.Account) })
		}
	default:
		err = s.change(func(f *keyFile) { delete(f.Keys, ref.Account) })
	}
	if err != nil {
		return fmt.Errorf("forgetting a key: %w", err)
	}
	return nil
}

// unset takes an entry out of the keyring, and crosses it out; one that is not there is no
// error.
func (s *KeyStore) unset(ctx context.Context, account string) error {
	_, _, err := s.ask(ctx, func() (string, error) { return "", s.ring.Delete(ringService, account) })
	if err == nil || errors.Is(err, keyring.ErrNotFound) {
		return s.forgotten(account)
	}
	return err
}

// unwanted sees to an entry that the keyring may make after nobody waits for it any more:
// it is written down, and taken out when it is made, or else at the next start.
func (s *KeyStore) unwanted(account string, late <-chan answer) {
	if err := s.change(func(f *keyFile) { f.Forget = append(f.Forget, account) }); err != nil {
		return // the file takes no key either, which the person is told
	}
	go func() {
		if a := <-late; a.err == nil {
			_ = s.unset(context.Background(), account) // or it is looked for once more
		}
	}()
}

// forgotten crosses an entry out that is not in the keyring any more.
func (s *KeyStore) forgotten(account string) error {
	is := func(a string) bool { return a == account }
	s.mu.Lock()
	f, err := s.read()
	s.mu.Unlock()
	if err != nil || !slices.ContainsFunc(f.Forget, is) && !slices.ContainsFunc(f.Ring, is) {
		return err
	}
	return s.change(func(f *keyFile) { f.Forget, f.Ring = slices.DeleteFunc(f.Forget, is), slices.DeleteFunc(f.Ring, is) })
}

// answer is one of the keyring.
type answer struct {
	secret string
	err    error
}

// ask makes a call of the keyring, which cannot be cancelled: one that takes too long is
// left to end by itself, and late gives its answer then. It is nil otherwise.
func (s *KeyStore) ask(ctx context.Context, call func() (string, error)) (secret string, late <-chan answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	done := make(chan answer, 1)
	go func() {
		secret, err := call()
		done <- answer{secret, err}
	}()
	select {
	case a := <-done:
		return a.secret, nil, a.err
	case <-ctx.Done():
		return "", done, fmt.Errorf("the keyring did not answer: %w", ctx.Err())
	}
}

// keyFile is what the file holds.
type keyFile struct {
	Version int               `json:"version"`
	Keys    map[string]string `json:"keys"`
	Forget  []string          `json:"forget,omitempty"` // accounts that may be in the keyring and are nobody's
	// Ring are the accounts that were put into the keyring, which cannot be listed.
	Ring []string   `json:"ring,omitempty"`
	Rest store.Rest `json:"-"`
}

type plainKeyFile keyFile

// UnmarshalJSON and MarshalJSON keep what another version of the host wrote besides.
func (f *keyFile) UnmarshalJSON(data []byte) error { return f.Rest.Read(data, (*plainKeyFile)(f)) }
func (f keyFile) MarshalJSON() ([]byte, error)     { return f.Rest.Write(plainKeyFile(f)) }

const keyFileVersion = 1

func (s *KeyStore) read() (keyFile, error) {
	f := keyFile{Version: keyFileVersion}
	err := store.ReadJSON(s.path, &f)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return keyFile{}, err
	case f.Version > keyFileVersion:
		return keyFile{}, fmt.Errorf("%s was written by a newer Strata", s.path)
	}
	if f.Keys == nil {
		f.Keys = map[string]string{}
	}
	return f, nil
}

func (s *KeyStore) change(change func(*keyFile)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.read()
	if err != nil {
		return err
	}
	change(&f)
	return store.WriteJSON(s.path, f)
}
