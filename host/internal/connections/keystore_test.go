package connections

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/zalando/go-keyring"

	"strata.dev/bridge/proto/chat"
)

// ring is a keyring in memory.
type ring struct {
	mu      sync.Mutex
	entries map[string]string
	err     error
}

func (r *ring) Set(service, account, secret string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	r.entries[service+"/"+account] = secret
	return nil
}

func (r *ring) Get(service, account string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return "", r.err
	}
	secret, ok := r.entries[service+"/"+account]
	if !ok {
		return "", keyring.ErrNotFound
	}
	return secret, nil
}

func (r *ring) Delete(service, account string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	if _, ok := r.entries[service+"/"+account]; !ok {
		return keyring.ErrNotFound
	}
	delete(r.entries, service+"/"+account)
	return nil
}

// kept puts a key, reads it with a store that is opened anew, and forgets it.
func kept(t *testing.T, r Ring, want chat.KeyPlace) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys.json")
	s := NewKeyStore(r, path)
	s.Probe(t.Context())
	ref, err := s.Put(t.Context(), newKey(secret))
	if err != nil || ref.Place != want || s.Place() != want {
		t.Fatalf("%+v, next in %s, %v; want %s", ref, s.Place(), err, want)
	}
	data, err := os.ReadFile(path)
	if inFile := err == nil && strings.Contains(string(data), secret); inFile != (want == chat.KeyInFile) {
		t.Errorf("the file: %s, %v", data, err)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v", info.Mode())
	}
	again := NewKeyStore(r, path)
	key, err := again.Get(t.Context(), ref)
	if err != nil || key.reveal() != secret {
		t.Errorf("read %q, %v", key.reveal(), err)
	}
	if err := errors.Join(again.Delete(t.Context(), ref), again.Delete(t.Context(), ref)); err != nil {
		t.Errorf("forgetting, twice: %v", err)
	}
	if key, err := again.Get(t.Context(), ref); err == nil || !key.IsZero() {
		t.Error("a forgotten key is there")
	}
	if data, err := os.ReadFile(path); err == nil && strings.Contains(string(data), secret) {
		t.Error("a forgotten key is in the file")
	}
}

func TestSystemRing(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("they have one each")
	}
	dir := t.TempDir()
	env := func(pairs map[string]string) func(string) string {
		return func(name string) string { return pairs[name] }
	}
	if SystemRing(env(nil)) != nil || SystemRing(env(map[string]string{"XDG_RUNTIME_DIR": dir})) != nil {
		t.Error("a keyring without a bus")
	}
	if err := os.WriteFile(filepath.Join(dir, "bus"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if SystemRing(env(map[string]string{"XDG_RUNTIME_DIR": dir})) == nil {
		t.Error("no keyring beside a bus")
	}
	nowhere := SystemRing(env(map[string]string{"DBUS_SESSION_BUS_ADDRESS": "unix:path=" + filepath.Join(dir, "none")}))
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(dir, "none"))
	kept(t, nowhere, chat.KeyInFile) // nobody serves that bus
}

func TestKeyStore(t *testing.T) {
	t.Run("a keyring", func(t *testing.T) { kept(t, &ring{entries: map[string]string{}}, chat.KeyInKeyring) })
	t.Run("no keyring", func(t *testing.T) { kept(t, &ring{err: errors.New("no bus")}, chat.KeyInFile) })
	t.Run("the file alone", func(t *testing.T) { kept(t, nil, chat.KeyInFile) })
}

// A keyring that is never unlocked holds nothing up for ever.
func TestKeyringThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &ring{}
		s := NewKeyStore(hanging{r, t.Context()}, filepath.Join(t.TempDir(), "keys.json"))
		ref, err := s.Put(t.Context(), newKey(secret))
		if err != nil || ref.Place != chat.KeyInFile {
			t.Errorf("%+v, %v", ref, err)
		}
		if _, err := s.Get(t.Context(), KeyRef{Place: chat.KeyInKeyring, Account: "x"}); err == nil {
			t.Error("a key was read")
		}
	})
}

// hanging answers when its context ends.
type hanging struct {
	*ring
	ctx context.Context
}

func (h hanging) Set(string, string, string) error {
	<-h.ctx.Done()
	return h.ctx.Err()
}

func (h hanging) Get(string, string) (string, error) {
	<-h.ctx.Done()
	return "", h.ctx.Err()
}

// late answers Set and Delete when it is let go, as a keyring that a person unlocks late.
type late struct {
	*ring
	opened chan struct{}
}

func (l late) Set(service, account, secret string) error {
	<-l.opened
	return l.ring.Set(service, account, secret)
}

func (l late) Delete(service, account string) error {
	<-l.opened
	return l.ring.Delete(service, account)
}

// left are the entries of the keyring, and those of the file that are to go.
func left(t *testing.T, r *ring, s *KeyStore) [2]int {
	t.Helper()
	f, err := s.read()
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return [2]int{len(r.entries), len(f.Forget)}
}

// everyone refers to every key.
func everyone(string) bool { return true }

// An entry that the keyring makes when nobody waits for it any more does not stay, be it
// made while this host runs or after it; nor does one that it did not let go of in time.
func TestKeyringThatIsLate(t *testing.T) {
	for name, lives := range map[string]bool{"while the host runs": true, "after it": false} {
		synctest.Test(t, func(t *testing.T) {
			r := &ring{entries: map[string]string{}}
			l := late{r, make(chan struct{})}
			path := filepath.Join(t.TempDir(), "keys.json")
			s := NewKeyStore(l, path)
			ref, err := s.Put(t.Context(), newKey(secret))
			if err != nil || ref.Place != chat.KeyInFile || left(t, r, s) != [2]int{0, 1} {
				t.Errorf("%s: %+v, %v, %v", name, ref, err, left(t, r, s))
			}
			if !lives { // its goroutine goes with it; the bus has the call
				if err := os.Rename(path, path+".kept"); err != nil {
					t.Fatal(err)
				}
			}
			close(l.opened)
			synctest.Wait()
			if lives {
				if got := left(t, r, s); got != [2]int{0, 0} {
					t.Errorf("%s: %v", name, got)
				}
				return
			}
			if err := os.Rename(path+".kept", path); err != nil {
				t.Fatal(err)
			}
			f, err := s.read()
			if err != nil {
				t.Fatal(err)
			}
			r.entries[ringService+"/"+f.Forget[0]] = secret
			next := NewKeyStore(r, path)
			if err := next.Tidy(t.Context(), everyone); err != nil || left(t, r, next) != [2]int{0, 0} {
				t.Errorf("%s: %v, %v", name, err, left(t, r, next))
			}
			if key, err := next.Get(t.Context(), ref); err != nil || key.reveal() != secret {
				t.Errorf("%s: the key that is in the file: %v", name, err)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		r := &ring{entries: map[string]string{}}
		path := filepath.Join(t.TempDir(), "keys.json")
		ref, err := NewKeyStore(r, path).Put(t.Context(), newKey(secret))
		if err != nil {
			t.Fatal(err)
		}
		l := late{r, make(chan struct{})}
		s := NewKeyStore(l, path)
		if err := s.Delete(t.Context(), ref); err != nil || left(t, r, s) != [2]int{1, 1} {
			t.Errorf("forgetting: %v, %v", err, left(t, r, s))
		}
		if err := s.Tidy(t.Context(), everyone); err == nil || left(t, r, s) != [2]int{1, 1} {
			t.Errorf("still locked: %v, %v", err, left(t, r, s))
		}
		close(l.opened)
		synctest.Wait()
		if err := s.Tidy(t.Context(), everyone); err != nil || left(t, r, s) != [2]int{0, 0} {
			t.Errorf("unlocked: %v, %v", err, left(t, r, s))
		}
	})
}

func TestKeysThatAreNotThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	s := NewKeyStore(nil, path)
	if ref, err := s.Put(t.Context(), Key{}); err != nil || ref != (KeyRef{}) {
		t.Errorf("no key is kept: %+v, %v", ref, err)
	}
	if key, err := s.Get(t.Context(), KeyRef{}); err != nil || !key.IsZero() {
		t.Errorf("kept nowhere: %v, %v", key, err)
	}
	got := map[string]bool{}
	for name, ref := range map[string]KeyRef{
		"another file": {Place: chat.KeyInFile, Account: "x"}, "a keyring that is not used": {Place: chat.KeyInKeyring, Account: "x"},
	} {
		_, err := s.Get(t.Context(), ref)
		got[name] = err != nil
	}
	if err := os.WriteFile(path, []byte(`{"version":99}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := s.Put(t.Context(), newKey(secret))
	got["a newer file"] = err != nil && !strings.Contains(err.Error(), secret)
	if diff := cmp.Diff(map[string]bool{"another file": true, "a keyring that is not used": true, "a newer file": true}, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

// A host that is killed between keeping a key and writing down whose it is, or between
// forgetting whose it is and the key, leaves one that the next start takes out.
func TestOrphans(t *testing.T) {
	for name, r := range map[string]*ring{"keyring": {entries: map[string]string{}}, "file": {err: errors.New("no bus")}} {
		path := filepath.Join(t.TempDir(), "keys.json")
		s := NewKeyStore(r, path)
		var refs []KeyRef
		for range 3 {
			ref, err := s.Put(t.Context(), newKey(secret))
			if err != nil || string(ref.Place) != name {
				t.Fatalf("%+v, %v", ref, err)
			}
			refs = append(refs, ref)
		}
		next := NewKeyStore(r, path)
		next.Probe(t.Context())
		if err := next.Tidy(t.Context(), func(account string) bool { return account == refs[1].Account }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var there []bool
		for _, ref := range refs {
			_, err := next.Get(t.Context(), ref)
			there = append(there, err == nil)
		}
		f, err := next.read()
		if diff := cmp.Diff([]bool{false, true, false}, there); diff != "" || err != nil || len(r.entries)+len(f.Keys) != 1 || len(f.Forget) > 0 {
			t.Errorf("%s: %+v, %d in the keyring, %v (-want +got):\n%s", name, f, len(r.entries), err, diff)
		}
	}
}

// A key that went into the file while the keyring was locked moves when that is open.
func TestRehouse(t *testing.T) {
	r := &ring{entries: map[string]string{}, err: errors.New("locked")}
	path := filepath.Join(t.TempDir(), "keys.json")
	s := NewKeyStore(r, path)
	old, err := s.Put(t.Context(), newKey(secret))
	if err != nil || s.Kept() != chat.KeyInFile {
		t.Fatalf("%+v, %v", old, err)
	}
	if still, err := s.Rehouse(t.Context(), old); still != old || err != nil {
		t.Errorf("locked: %+v, %v", still, err)
	}
	r.err = nil
	s = NewKeyStore(r, path)
	if s.Kept() != chat.KeyInFile { // which the person is told as long as it is so
		t.Error("a key in the file is not told")
	}
	moved, err := s.Rehouse(t.Context(), old)
	if err != nil || moved.Place != chat.KeyInKeyring {
		t.Fatalf("open: %+v, %v", moved, err)
	}
	if err := s.Delete(t.Context(), old); err != nil {
		t.Error(err)
	}
	if key, err := s.Get(t.Context(), moved); err != nil || key.reveal() != secret || s.Kept() != chat.KeyInKeyring {
		t.Errorf("%v, in %s", err, s.Kept())
	}
}
