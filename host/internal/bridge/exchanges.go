package bridge

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/proto/chat"
)

// exchange is a message and what was answered to it without a session's turn, as it
// was shown: by the model alone, or to a command.
type exchange struct {
	RequestID string         `json:"requestId"`
	Time      int64          `json:"time"`     // Unix milliseconds: when it was sent
	Messages  []chat.Message `json:"messages"` // the person's, then the answer
	Whole     bool           `json:"whole,omitempty"`
	Command   bool           `json:"command,omitempty"` // no model has seen it
	Unsent    bool           `json:"unsent,omitempty"`  // nothing has seen it: the host closed before
}

// exchanges keeps them, a log of lines per chat. The newest line of a request counts:
// the first one holds the message alone, and one without messages takes it back.
type exchanges struct {
	dir string
	mu  *sync.Mutex // of who writes
}

func exchangesIn(dir string) exchanges {
	return exchanges{filepath.Join(dir, "direct"), new(sync.Mutex)}
}

// path is a chat's log. Chat ids are the page's own and may hold anything.
func (x exchanges) path(chatID string) string {
	sum := sha256.Sum256([]byte(chatID))
	return filepath.Join(x.dir, hex.EncodeToString(sum[:16])+".jsonl")
}

// add keeps an exchange, or what has become of it; it is on disk when add returns.
func (x exchanges) add(chatID string, e exchange) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	log, err := store.OpenLog(x.path(chatID))
	if err != nil {
		return err
	}
	return errors.Join(log.Append(e), log.Close())
}

// drop forgets a chat's exchanges; none is no error.
func (x exchanges) drop(chatID string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := os.Remove(x.path(chatID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// read gives a chat's exchanges, the oldest first. One that the host's end broke off
// says so. An error comes with those before it.
func (x exchanges) read(chatID string) ([]exchange, error) {
	lines, err := store.ReadLog[exchange](x.path(chatID))
	var out []exchange
	for _, e := range lines {
		if i := slices.IndexFunc(out, func(o exchange) bool { return o.RequestID == e.RequestID }); i >= 0 {
			out[i] = e
			continue
		}
		out = append(out, e)
	}
	slices.SortStableFunc(out, func(a, b exchange) int { return cmp.Compare(a.Time, b.Time) })
	out = slices.DeleteFunc(out, func(e exchange) bool { return len(e.Messages) == 0 })
	for i, e := range out {
		if !e.Whole && !e.Unsent {
			out[i].Messages = append(e.Messages, chat.Message{Role: "assistant", Notes: []chat.Note{{Sentence: say.Sentence(say.AgentClosed)}}, Time: e.Time})
		}
	}
	return out, err
}

// answered tells whether a request has its answer here. One that was broken off may be
// sent again.
func (x exchanges) answered(chatID, requestID string) bool {
	all, _ := x.read(chatID) // what cannot be read has no answer
	return slices.ContainsFunc(all, func(e exchange) bool { return e.Whole && e.RequestID == requestID })
}

// merge puts exchanges among those of a session's log by the time at which each was sent.
func merge(logged []project.Exchange, past []exchange) []chat.Message {
	var out []chat.Message
	for _, asked := range logged {
		for len(past) > 0 && past[0].Time < asked.Time {
			out = join(out, past[0].Messages)
			past = past[1:]
		}
		out = append(out, asked.Messages...)
	}
	for _, e := range past {
		out = join(out, e.Messages)
	}
	return out
}

// join adds an exchange; rows of helpers that were kept by themselves stand with the
// answer that they worked for.
func join(out, more []chat.Message) []chat.Message {
	if n := len(out) - 1; n >= 0 && out[n].Role == more[0].Role && len(more) == 1 && more[0].Helpers != nil {
		out[n].Helpers = append(out[n].Helpers, more[0].Helpers...)
		return out
	}
	return append(out, more...)
}

// earlierAway stands for what only the Harness has.
func earlierAway() []project.Exchange {
	return []project.Exchange{{Messages: []chat.Message{{Role: "assistant", Notes: []chat.Note{{Sentence: say.Sentence(say.EarlierAway)}}}}}}
}
