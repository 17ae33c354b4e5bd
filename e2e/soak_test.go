package e2e

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// soakRounds are played where STRATA_SOAK_TIME names no time.
const soakRounds = 3

// What a host may have more at the end than after its first round.
const (
	soakFiles  = 16       // open files
	soakMemory = 64 << 20 // bytes resident: the frames of ended runs are kept for late readers, 64 MiB at most
)

// TestSoak plays mixed traffic and looks whether the host grows.
func TestSoak(t *testing.T) {
	limit := 10 * time.Minute
	var until time.Time
	if text := os.Getenv("STRATA_SOAK_TIME"); text != "" {
		d, err := time.ParseDuration(text)
		must(t, err)
		until, limit = time.Now().Add(d), d+10*time.Minute
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	w := newWorld(ctx, t, kit.HostOptions{})
	var first usage
	rounds := 0
	for until.IsZero() && rounds < soakRounds || time.Now().Before(until) {
		soakRound(ctx, t, w, rounds)
		if rounds++; rounds == 1 {
			first = usageOf(t, w.PID())
		}
		if t.Failed() {
			return
		}
	}
	last := usageOf(t, w.PID())
	t.Logf("%d rounds; open files %d, then %d (at most %d more); resident %d MiB, then %d MiB (at most %d MiB more)",
		rounds, first.files, last.files, soakFiles, first.resident>>20, last.resident>>20, soakMemory>>20)
	if last.files > first.files+soakFiles || last.resident > first.resident+soakMemory {
		t.Errorf("the host grows: %+v, then %+v", first, last)
	}
}

// soakRound has four chats at once look, write with a yes, write with a no, and stop.
func soakRound(ctx context.Context, t *testing.T, w *world, round int) {
	var all sync.WaitGroup
	one := func(name string, part func(c kit.Chat) error) {
		all.Go(func() {
			if err := part(w.NewChat()); err != nil {
				t.Errorf("round %d, %s: %v", round, name, err)
			}
		})
	}
	answer := func(approve bool) func(kit.Chat) error {
		return func(c kit.Chat) error {
			run, err := c.Send(ctx, scriptmodel.Steps(scriptmodel.Write(w.path(c.ID), "x"), scriptmodel.Say("over")))
			if err != nil {
				return err
			}
			card, err := run.Card(ctx, "write", chat.ToolProposed)
			if err != nil {
				return err
			}
			if approve {
				err = c.Approve(ctx, card)
			} else {
				err = c.Deny(ctx, card, "no")
			}
			if err != nil {
				return err
			}
			_, err = run.End(ctx)
			if _, there := w.home.Read(t, c.ID); there != approve {
				return fmt.Errorf("approved: %t, written: %t (%v)", approve, there, err)
			}
			return err
		}
	}
	one("approve", answer(true))
	one("deny", answer(false))
	one("look", func(c kit.Chat) error {
		run, err := c.Send(ctx, scriptmodel.Steps(scriptmodel.Step(scriptmodel.Bash("ls"), scriptmodel.Bash("cat README.md")), "STREAM 200"))
		if err != nil {
			return err
		}
		_, err = run.End(ctx)
		return err
	})
	one("stop", func(c kit.Chat) error {
		run, err := c.Send(ctx, scriptmodel.Steps(scriptmodel.Step(scriptmodel.Say("on "), "HANG")))
		if err != nil {
			return err
		}
		if _, err := run.Wait(ctx, kit.Says("on")); err != nil {
			return err
		}
		if _, err := c.Stop(ctx); err != nil {
			return err
		}
		_, err = run.End(ctx)
		return err
	})
	all.Wait()
}

// usage is what a process holds.
type usage struct {
	files    int
	resident int64 // bytes
}

func usageOf(t *testing.T, pid int) usage {
	t.Helper()
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	files, err := os.ReadDir(filepath.Join(dir, "fd"))
	if errors.Is(err, fs.ErrPermission) {
		t.Log("the host's files are counted by root alone: it is hidden")
	} else {
		must(t, err)
	}
	statm, err := os.ReadFile(filepath.Join(dir, "statm"))
	must(t, err)
	pages, err := strconv.ParseInt(strings.Fields(string(statm))[1], 10, 64)
	must(t, err)
	return usage{files: len(files), resident: pages * int64(os.Getpagesize())}
}
