package store

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

var errCrash = errors.New("crashed")

// crashDisk is the real disk until its budget is used up, one unit for every byte and
// every other operation. From then on nothing happens any more, as in a process that
// was killed. A power cut then takes back what was not synced: what files hold, and
// the names in folders.
type crashDisk struct {
	osDisk
	t      *testing.T
	budget int
	did    []string
	live   map[string]*inode // files that were touched, by path
	kept   map[string]*inode // as a power cut leaves them
	made   map[string]bool   // folders; true once a power cut leaves their name
}

// inode is a file whatever its name.
type inode struct{ kept []byte }

var _ disk = (*crashDisk)(nil)

func newCrashDisk(t *testing.T, budget int) *crashDisk {
	return &crashDisk{t: t, budget: budget, live: map[string]*inode{}, kept: map[string]*inode{}, made: map[string]bool{}}
}

func (d *crashDisk) spend(what string) error {
	if d.budget <= 0 {
		return errCrash
	}
	d.budget--
	d.did = append(d.did, what)
	return nil
}

// touch looks at a file before it changes.
func (d *crashDisk) touch(path string) {
	if d.live[path] != nil || !d.Exists(path) {
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		d.t.Fatal(err)
	}
	n := &inode{data}
	d.live[path], d.kept[path] = n, n
}

func (d *crashDisk) MkdirAll(dir string) error {
	for at := dir; !d.Exists(at); at = filepath.Dir(at) {
		d.made[at] = false
	}
	return errors.Join(d.spend("mkdir"), d.osDisk.MkdirAll(dir))
}

func (d *crashDisk) CreateTemp(dir, pattern string) (file, error) {
	if err := d.spend("create"); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	d.live[f.Name()] = &inode{}
	return &crashFile{f, d}, nil
}

func (d *crashDisk) Open(path string) (logFile, error) {
	d.touch(path)
	if d.live[path] == nil {
		if err := d.spend("create"); err != nil {
			return nil, err
		}
		d.live[path] = &inode{}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, FileMode)
	return &crashFile{f, d}, err
}

func (d *crashDisk) Rename(from, to string) error {
	if err := d.spend("rename"); err != nil {
		return err
	}
	d.touch(to)
	d.live[to] = d.live[from]
	delete(d.live, from)
	return os.Rename(from, to)
}

func (d *crashDisk) Remove(path string) error {
	if err := d.spend("remove"); err != nil {
		return err
	}
	delete(d.live, path)
	return os.Remove(path)
}

func (d *crashDisk) SyncDir(dir string) error {
	if err := d.spend("sync folder"); err != nil {
		return err
	}
	for at := range d.made {
		d.made[at] = d.made[at] || filepath.Dir(at) == dir
	}
	maps.DeleteFunc(d.kept, func(path string, _ *inode) bool { return filepath.Dir(path) == dir })
	for path, n := range d.live {
		if filepath.Dir(path) == dir {
			d.kept[path] = n
		}
	}
	return nil
}

// powerCut leaves only what was synced.
func (d *crashDisk) powerCut() {
	for path := range d.live {
		if d.kept[path] == nil {
			if err := os.Remove(path); err != nil {
				d.t.Fatal(err)
			}
		}
	}
	for path, n := range d.kept {
		if err := os.WriteFile(path, n.kept, FileMode); err != nil {
			d.t.Fatal(err)
		}
	}
	for dir, kept := range d.made {
		if !kept {
			if err := os.RemoveAll(dir); err != nil {
				d.t.Fatal(err)
			}
		}
	}
}

// crashFile is a file of a crashDisk.
type crashFile struct {
	*os.File
	d *crashDisk
}

// spend gives how many of the bytes are still written.
func (f *crashFile) spend(p []byte) int {
	n := min(len(p), f.d.budget)
	f.d.budget -= n
	if n > 0 {
		f.d.did = append(f.d.did, "write")
	}
	return n
}

func (f *crashFile) Write(p []byte) (int, error) {
	n := f.spend(p)
	if _, err := f.File.Write(p[:n]); err != nil || n == len(p) {
		return n, err
	}
	return n, errCrash
}

func (f *crashFile) WriteAt(p []byte, at int64) (int, error) {
	n := f.spend(p)
	if _, err := f.File.WriteAt(p[:n], at); err != nil || n == len(p) {
		return n, err
	}
	return n, errCrash
}

func (f *crashFile) Truncate(size int64) error {
	if err := f.d.spend("truncate"); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *crashFile) Sync() error {
	if err := f.d.spend("sync"); err != nil {
		return err
	}
	data, err := os.ReadFile(f.Name())
	if err != nil {
		f.d.t.Fatal(err)
	}
	f.d.live[f.Name()].kept = data
	return f.File.Sync()
}
