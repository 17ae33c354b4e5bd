package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/proto/chat"
)

// ready is the line of --ready=json. The token is in the file that it names, for
// whoever may read that.
type ready struct {
	URL       string `json:"url"`
	TokenFile string `json:"tokenFile"`
	PID       int    `json:"pid"`
	Version   string `json:"version"`
}

// announce says where the host serves, once connections are taken.
func announce(w io.Writer, f flags, url, token string) error {
	if f.ready != "json" {
		_, err := fmt.Fprintln(w, say.Sentence(say.ReadyAt, "url", url+"#token="+token).Text)
		return err
	}
	file, err := filepath.Abs(tokenFile(f.tokenFile, f.data))
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(ready{URL: url, TokenFile: file, PID: os.Getpid(), Version: currentVersion().Version})
}

// tokenFile is where the launch token is kept: the person's own file, or the data
// folder's.
func tokenFile(own, data string) string {
	if own != "" {
		return own
	}
	return filepath.Join(data, "token")
}

// ending is the last line of the note of a host that gives the data folder up.
const ending = "ending"

// note is what the lock of the data folder says of this host: its address, "" before
// it serves, its process, and whether it ends.
func note(url string, ends bool) []byte {
	out := fmt.Appendf(nil, "%s\n%d\n", url, os.Getpid())
	if ends {
		out = fmt.Appendln(out, ending)
	}
	return out
}

// noted reads a note.
func noted(note []byte) (url string, pid int, ends bool) {
	url, rest, _ := strings.Cut(string(note), "\n")
	first, rest, whole := strings.Cut(rest, "\n")
	pid, err := strconv.Atoi(first)
	if err != nil || !whole { // or it may be the beginning of a number
		return url, 0, false
	}
	return url, pid, strings.TrimSpace(rest) == ending
}

// takeEvery is how often a data folder is asked for that its host is giving up.
const takeEvery = 50 * time.Millisecond

// takeData takes the data folder. One that its host is giving up, as before an upgrade
// in place, is waited for; any other that is held is store.ErrLocked.
func takeData(ctx context.Context, data string) (*store.Lock, error) {
	limit := time.NewTimer(closeLimit + takeEvery)
	defer limit.Stop()
	for {
		lock, err := store.Acquire(hostLock(data))
		if !errors.Is(err, store.ErrLocked) {
			return lock, err
		}
		held, still, readErr := store.Holder(hostLock(data))
		if _, _, ends := noted(held); readErr != nil || still && !ends {
			return nil, err
		}
		select {
		case <-time.After(takeEvery):
		case <-limit.C:
			return nil, err
		case <-ctx.Done():
			return nil, err
		}
	}
}

// inUse says who holds a data folder.
func inUse(data string) error {
	held, _, err := store.Holder(hostLock(data))
	url, pid, _ := noted(held)
	if err != nil || pid == 0 {
		return say.Error(chat.CodeInternal, "", say.DataInUse, "path", data)
	}
	return say.Error(chat.CodeInternal, url, say.DataInUseBy, "path", data, "pid", strconv.Itoa(pid))
}
