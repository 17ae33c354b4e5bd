package effects

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/engine"
)

var (
	recordName   = regexp.MustCompile(`^[a-z0-9_-][a-z0-9._-]{0,63}$`)
	recordPrefix = regexp.MustCompile(`^([a-z0-9_-][a-z0-9._-]{0,63})?$`)
)

// store is one plugin's records: plain files of mode 0600 in a folder of mode 0700.
type store struct {
	dir string
	mu  sync.Mutex // one change at a time, so that a record's size can be held
}

// Store keeps a plugin's records in the folder root/plugin, which is made with
// the first of them.
func Store(root, plugin string) engine.Effects {
	s := &store{dir: filepath.Join(root, plugin)}
	return engine.Effects{
		abi.EffectStoreGet:    typed(s.get, "name"),
		abi.EffectStorePut:    typed(s.put, "name"),
		abi.EffectStoreAppend: typed(s.append, "name"),
		abi.EffectStoreList:   typed(s.list, "name"),
		abi.EffectStoreDelete: typed(s.delete, "name"),
	}
}

func (s *store) get(_ context.Context, k abi.StoreKey, _ []byte) (none, []byte, error) {
	root, size, err := s.record(k.Name)
	if err != nil {
		return none{}, nil, err
	}
	defer shut(root)
	if size < 0 {
		return none{}, nil, missing(k.Name)
	}
	b, err := root.ReadFile(k.Name)
	return none{}, b, storeFailed(err)
}

func (s *store) put(_ context.Context, k abi.StoreKey, body []byte) (none, []byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	root, _, err := s.writable(k.Name, int64(len(body)), false)
	if err != nil {
		return none{}, nil, err
	}
	defer shut(root)
	return none{}, nil, storeFailed(replace(root, k.Name, body))
}

func (s *store) append(_ context.Context, k abi.StoreKey, body []byte) (none, []byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	root, _, err := s.writable(k.Name, int64(len(body)), true)
	if err != nil {
		return none{}, nil, err
	}
	defer shut(root)
	f, err := root.OpenFile(k.Name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err == nil {
		_, err = f.Write(body)
		err = errors.Join(err, f.Close())
	}
	return none{}, nil, storeFailed(err)
}

func (s *store) list(_ context.Context, k abi.StoreKey, _ []byte) (abi.StoreNames, []byte, error) {
	a := abi.StoreNames{Names: []string{}}
	if !recordPrefix.MatchString(k.Name) {
		return a, nil, refuse(abi.CodeRefused, abi.MsgStoreName)
	}
	root, err := s.folder()
	if err != nil || root == nil {
		return a, nil, storeFailed(err)
	}
	defer shut(root)
	entries, err := fs.ReadDir(root.FS(), ".") // sorted by name
	if err != nil {
		return a, nil, storeFailed(err)
	}
	for _, e := range entries {
		if e.Type().IsRegular() && recordName.MatchString(e.Name()) && strings.HasPrefix(e.Name(), k.Name) {
			a.Names = append(a.Names, e.Name())
		}
	}
	return a, nil, nil
}

func (s *store) delete(_ context.Context, k abi.StoreKey, _ []byte) (none, []byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	root, size, err := s.record(k.Name)
	if err != nil {
		return none{}, nil, err
	}
	defer shut(root)
	if size < 0 {
		return none{}, nil, nil
	}
	return none{}, nil, storeFailed(root.Remove(k.Name))
}

// folder opens the plugin's folder, which must be one and no link. nil: not there yet.
func (s *store) folder() (*os.Root, error) {
	info, err := os.Lstat(s.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, errors.New("the store's folder is none")
	}
	return os.OpenRoot(s.dir)
}

// record opens the folder and gives the record's size, -1 when it is not there.
func (s *store) record(name string) (*os.Root, int64, error) {
	if !recordName.MatchString(name) {
		return nil, 0, refuse(abi.CodeRefused, abi.MsgStoreName)
	}
	root, err := s.folder()
	if err != nil || root == nil {
		return nil, -1, storeFailed(err)
	}
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return root, -1, nil
	case err != nil:
		root.Close()
		return nil, 0, storeFailed(err)
	case !info.Mode().IsRegular():
		root.Close()
		return nil, 0, refuse(abi.CodeRefused, abi.MsgStoreFile, "name", name)
	}
	return root, info.Size(), nil
}

// writable is record for a change that adds n bytes; it makes the folder.
func (s *store) writable(name string, n int64, appending bool) (*os.Root, int64, error) {
	root, size, err := s.record(name)
	if err != nil {
		return nil, 0, err
	}
	if appending {
		n += max(size, 0)
	}
	if n > abi.MaxRecordBytes {
		shut(root)
		return nil, 0, refuse(abi.CodeRefused, abi.MsgStoreSize, "bytes", strconv.Itoa(abi.MaxRecordBytes))
	}
	if root == nil {
		if err := os.MkdirAll(s.dir, 0o700); err != nil {
			return nil, 0, storeFailed(err)
		}
		if root, err = s.folder(); err != nil {
			return nil, 0, storeFailed(err)
		}
	}
	return root, size, nil
}

// replace writes a new file beside the record and renames it, so that a reader
// or a crash finds the old bytes or the new ones.
func replace(root *os.Root, name string, body []byte) error {
	draft := "." + name + ".new"
	f, err := root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = root.Rename(draft, name)
	}
	if err != nil {
		root.Remove(draft)
	}
	return err
}

// shut closes a folder that may not be there.
func shut(root *os.Root) {
	if root != nil {
		root.Close()
	}
}

func missing(name string) error {
	return refuse(abi.CodeNotFound, abi.MsgStoreMissing, "name", name)
}

func storeFailed(err error) error {
	if err == nil {
		return nil
	}
	return because(err, abi.CodeFailed, abi.MsgStoreFailed)
}
