package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/store"
)

// LockName is the lock file in a home. It belongs to the host that runs a
// Harness there; two on one home would destroy session logs.
const LockName = "strata.lock"

// note stands in the lock file, for the host that comes after a killed one.
type note struct {
	PID       int    `json:"pid"`       // 0 until the process has started
	StartTime uint64 `json:"startTime"` // of the launch, in ticks since boot
	Boot      string `json:"boot"`
	Marker    string `json:"marker"`
	URL       string `json:"url,omitempty"`
}

// end ends the noted Harness if it still runs, then what its tools left.
func (n note) end() error {
	if n.PID != 0 {
		if _, err := endMarked(n.Marker, n.StartTime, n.PID, forHarness); err != nil {
			return err
		}
	}
	_, err := endMarked(n.Marker, n.StartTime, 0, forTools)
	return err
}

// claim is the right to run a Harness on a home.
type claim struct {
	lock *store.Lock
	note note
}

// takeHome takes the lock of home, ends what a dead host left running there, and
// notes the new launch before it starts, so that a kill at any moment leaves a
// note to go by.
func takeHome(home, marker string) (*claim, error) {
	lock, err := store.Acquire(filepath.Join(home, LockName))
	if errors.Is(err, store.ErrLocked) {
		return nil, newError(KindInUse, home, say.Sentence(say.AgentInUse))
	}
	if err != nil {
		return nil, err
	}
	c := &claim{lock: lock}
	if err := c.prepare(marker); err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return c, nil
}

func (c *claim) prepare(marker string) error {
	boot, err := bootID()
	if err != nil {
		return err
	}
	data, err := c.lock.Note()
	if err != nil {
		return fmt.Errorf("reading the lock's note: %w", err)
	}
	var left note
	// An empty note is a first start. Only the first value counts: a kill can leave
	// the end of a longer note behind it. One that is no JSON is not ours: without
	// a marker there is nothing that may be ended.
	err = json.NewDecoder(bytes.NewReader(data)).Decode(&left)
	if err == nil && left.Marker != "" && left.Boot == boot {
		if err := left.end(); err != nil {
			return newError(KindLeftover, err.Error(), say.Sentence(say.HarnessLeftover, "pid", strconv.Itoa(left.PID)))
		}
	}
	now, err := ticksNow()
	if err != nil {
		return err
	}
	c.note = note{StartTime: now, Boot: boot, Marker: marker}
	return c.write()
}

// started notes the process, and its URL once known.
func (c *claim) started(pid int, url string) error {
	c.note.PID, c.note.URL = pid, url
	return c.write()
}

// endTools ends what the launch left running after its process was gone.
func (c *claim) endTools() (int, error) {
	return endMarked(c.note.Marker, c.note.StartTime, 0, forTools)
}

// release frees the home. Where all is ended the note goes too.
func (c *claim) release(ended bool) error {
	if !ended {
		return c.lock.Release()
	}
	return errors.Join(c.lock.SetNote(nil), c.lock.Release())
}

func (c *claim) write() error {
	data, err := json.Marshal(c.note)
	if err != nil {
		return fmt.Errorf("encoding the lock's note: %w", err)
	}
	return c.lock.SetNote(append(data, '\n'))
}
