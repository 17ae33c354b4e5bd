package main

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/proto/chat"
)

func TestAbout(t *testing.T) {
	dir := t.TempDir()
	for name, size := range map[string]int{"logs/host.log": 300, "token": 10, "agent/sessions.json": 200, "agent/home/a/b": 500, "agent/home/c": 100} {
		if err := store.WriteFile(filepath.Join(dir, name), make([]byte, size)); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		a := newAbout(dir)
		time.Sleep(time.Second)
		var s chat.AgentStatus
		a.tell(&s)
		want := chat.DataStatus{Bytes: 1110, Files: 5, Parts: []chat.DataPart{
			{Name: "agent/home", Bytes: 600, Files: 2}, {Name: "logs", Bytes: 300, Files: 1},
			{Name: "agent/sessions.json", Bytes: 200, Files: 1}, {Name: "token", Bytes: 10, Files: 1},
		}, MeasuredAt: time.Now().UnixMilli()}
		if d := cmp.Diff(&want, s.Data, cmpopts.IgnoreFields(chat.DataStatus{}, "FreeBytes")); d != "" || s.Data.FreeBytes <= 0 {
			t.Errorf("%d bytes free, (-want +got):\n%s", s.Data.FreeBytes, d)
		}
		if h := s.Host; h.Version == "" || h.ABI == "" || h.Go == "" || h.OS == "" || h.CPUs < 1 || h.PID != os.Getpid() || h.UptimeMs != 1000 || h.StartedAt != time.Now().UnixMilli()-1000 {
			t.Errorf("host %+v", h)
		}
		first := s.Data.MeasuredAt
		for _, after := range []time.Duration{measureEvery - time.Second, time.Second} {
			time.Sleep(after)
			a.tell(&s)
		}
		if s.Data.MeasuredAt != first+measureEvery.Milliseconds() {
			t.Errorf("measured at %d, first at %d", s.Data.MeasuredAt, first)
		}
	})
	if got := measure(filepath.Join(dir, "none")); got.FreeBytes != -1 || got.Details == "" || got.Files != 0 {
		t.Errorf("no folder: %+v", got)
	}
}

func TestSystemName(t *testing.T) {
	for text, want := range map[string]string{
		"ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\n": "Debian GNU/Linux 13 (trixie)",
		"PRETTY_NAME=Plain": "Plain",
		"ID=x\n":            "",
	} {
		file := filepath.Join(t.TempDir(), "os-release")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := systemName(file); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := systemName(filepath.Join(t.TempDir(), "none")); got != "" {
		t.Errorf("no file says %q", got)
	}
}
