package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

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

// note is what the lock of the data folder says of this host: its address, "" before
// it serves, and its process.
func note(url string) []byte { return fmt.Appendf(nil, "%s\n%d\n", url, os.Getpid()) }

// noted reads a note.
func noted(note []byte) (url string, pid int) {
	url, rest, _ := strings.Cut(string(note), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(rest))
	if err != nil {
		return url, 0
	}
	return url, pid
}

// inUse says who holds a data folder.
func inUse(data string) error {
	held, _, err := store.Holder(hostLock(data))
	url, pid := noted(held)
	if err != nil || pid == 0 {
		return say.Error(chat.CodeInternal, "", say.DataInUse, "path", data)
	}
	return say.Error(chat.CodeInternal, url, say.DataInUseBy, "path", data, "pid", strconv.Itoa(pid))
}
