package main

import (
	"bufio"
	"cmp"
	"errors"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/proto/chat"
)

// measureEvery is how long what was measured of the data folder is told again: a walk
// through many sessions takes its time.
const measureEvery = 30 * time.Second

// about is what the status says of this host and its data folder.
type about struct {
	data  string
	begun time.Time
	host  chat.HostStatus

	mu       sync.Mutex
	measured time.Time
	last     chat.DataStatus
}

func newAbout(data string) *about {
	v := currentVersion()
	return &about{data: data, begun: time.Now(), host: chat.HostStatus{
		Version: v.Version, ABI: v.ABI, Go: v.Go, OS: v.OS, System: systemName("/etc/os-release"), CPUs: runtime.NumCPU(), PID: os.Getpid(),
	}}
}

// tell adds it to a status.
func (a *about) tell(s *chat.AgentStatus) {
	host := a.host
	host.StartedAt, host.UptimeMs = a.begun.UnixMilli(), time.Since(a.begun).Milliseconds()
	s.Host = &host
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.measured.IsZero() || time.Since(a.measured) >= measureEvery {
		a.last, a.measured = measure(a.data), time.Now()
		a.last.MeasuredAt = a.measured.UnixMilli()
	}
	data := a.last
	s.Data = &data
}

// measure looks at the data folder: each of its files and folders, and each of the
// agent's own.
func measure(dir string) chat.DataStatus {
	var d chat.DataStatus
	var unread []error
	note := func(err error) {
		if err != nil {
			unread = append(unread, err)
		}
	}
	names, err := store.Names(dir)
	note(err)
	inner, err := store.Names(filepath.Join(dir, "agent"))
	note(err)
	for _, name := range inner {
		names = append(names, path.Join("agent", name))
	}
	for _, name := range names {
		if name == "agent" {
			continue
		}
		size, err := store.Usage(filepath.Join(dir, filepath.FromSlash(name)))
		note(err)
		d.Bytes += size.Bytes
		d.Files += size.Files
		d.Parts = append(d.Parts, chat.DataPart{Name: name, Bytes: size.Bytes, Files: size.Files})
	}
	slices.SortFunc(d.Parts, func(a, b chat.DataPart) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Name, b.Name))
	})
	if d.FreeBytes, err = store.Free(dir); err != nil {
		d.FreeBytes = -1
		note(err)
	}
	if err := errors.Join(unread...); err != nil {
		d.Details = err.Error()
	}
	return d
}

// systemName is what the system calls itself in a file as os-release(5) describes, "" where
// there is none.
func systemName(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, ok := strings.CutPrefix(s.Text(), "PRETTY_NAME="); ok {
			if plain, err := strconv.Unquote(name); err == nil {
				return plain
			}
			return name
		}
	}
	return ""
}
