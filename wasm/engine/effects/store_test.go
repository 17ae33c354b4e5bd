package effects

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/abi"
)

// Folder and files are the person's own; no draft stays behind.
func TestStoreModes(t *testing.T) {
	root := filepath.Join(t.TempDir(), "stores")
	all := Store(root, "p")
	perform(t, all, abi.EffectStoreList, `{"name":""}`, "")
	if _, err := os.Stat(root); err == nil {
		t.Error("a look made the folder")
	}
	expect(t, "put", outcome{Head: "{}"}, perform(t, all, abi.EffectStorePut, `{"name":"a"}`, "x"))
	expect(t, "append", outcome{Head: "{}"}, perform(t, all, abi.EffectStoreAppend, `{"name":"b"}`, "x"))
	got := map[string]fs.FileMode{}
	if err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		rel, _ := filepath.Rel(root, path)
		got[rel] = info.Mode().Perm()
		return err
	}); err != nil {
		t.Fatal(err)
	}
	want := map[string]fs.FileMode{".": 0o700, "p": 0o700, "p/a": 0o600, "p/b": 0o600}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("modes (-want +got):\n%s", diff)
	}
}

// Whoever reads while a record is replaced finds one whole version.
func TestStorePutIsAtomic(t *testing.T) {
	all := Store(t.TempDir(), "p")
	versions := []string{strings.Repeat("a", 1<<16), strings.Repeat("b", 1<<15)}
	perform(t, all, abi.EffectStorePut, `{"name":"r"}`, versions[0])
	var work sync.WaitGroup
	for i := range 4 {
		work.Go(func() {
			for range 50 {
				expect(t, "put", outcome{Head: "{}"}, perform(t, all, abi.EffectStorePut, `{"name":"r"}`, versions[i%2]))
			}
		})
		work.Go(func() {
			for range 100 {
				if got := perform(t, all, abi.EffectStoreGet, `{"name":"r"}`, "").Body; got != versions[0] && got != versions[1] {
					t.Errorf("read %d bytes that are no version", len(got))
				}
			}
		})
	}
	work.Wait()
}

// Appends of one record at once are all there, whole.
func TestStoreAppendAtOnce(t *testing.T) {
	all := Store(t.TempDir(), "p")
	var work sync.WaitGroup
	for range 20 {
		work.Go(func() { perform(t, all, abi.EffectStoreAppend, `{"name":"r"}`, "0123456789\n") })
	}
	work.Wait()
	want := outcome{Head: "{}", Body: strings.Repeat("0123456789\n", 20)}
	expect(t, "record", want, perform(t, all, abi.EffectStoreGet, `{"name":"r"}`, ""))
}

// A disk that refuses is one plain sentence, without the path.
func TestStoreDiskRefuses(t *testing.T) {
	root := filepath.Join(t.TempDir(), "stores")
	if err := os.WriteFile(root, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want := outcome{Code: abi.CodeFailed, Message: abi.MsgStoreFailed}
	all := Store(root, "p")
	expect(t, "put", want, perform(t, all, abi.EffectStorePut, `{"name":"a"}`, "x"))
	expect(t, "append", want, perform(t, all, abi.EffectStoreAppend, `{"name":"a"}`, "x"))
}
