package sdk

import (
	"time"

	"strata.dev/bridge/proto/abi"
)

// Ask puts a question before the person and waits for what becomes of it, an
// hour if need be.
func Ask(t *Task, req abi.AskRequest) (abi.AskAnswer, error) {
	out, _, err := ask[abi.AskAnswer](t, abi.EffectAsk, req, nil)
	return out, err
}

// Sleep waits d, to the millisecond, without holding up other calls.
func Sleep(t *Task, d time.Duration) error {
	_, _, err := ask[struct{}](t, abi.EffectSleep, abi.SleepRequest{Ms: int(d.Milliseconds())}, nil)
	return err
}

// Fetch makes one HTTP request to an allow-listed host; redirects come back as
// answers. An answer with an error status is no error.
func Fetch(t *Task, req abi.FetchRequest, body []byte) (abi.FetchAnswer, []byte, error) {
	return ask[abi.FetchAnswer](t, abi.EffectFetch, req, body)
}

// FetchWeb makes one GET request to any host on the public web; redirects come back
// as answers. The plugin's table must have the sync op admitAddress.
func FetchWeb(t *Task, req abi.WebRequest) (abi.WebAnswer, []byte, error) {
	return ask[abi.WebAnswer](t, abi.EffectFetchWeb, req, nil)
}

// TextDecode gives a text in a charset as UTF-8. Code "refused" when the host side
// does not know it.
func TextDecode(t *Task, charset string, text []byte) ([]byte, error) {
	_, body, err := ask[struct{}](t, abi.EffectTextDecode, abi.TextDecode{Charset: charset}, text)
	return body, err
}

// StoreGet reads a record of the plugin's own store. Code "not-found" when
// there is none.
func StoreGet(t *Task, name string) ([]byte, error) {
	_, body, err := ask[struct{}](t, abi.EffectStoreGet, abi.StoreKey{Name: name}, nil)
	return body, err
}

// StorePut writes a record whole.
func StorePut(t *Task, name string, record []byte) error {
	_, _, err := ask[struct{}](t, abi.EffectStorePut, abi.StoreKey{Name: name}, record)
	return err
}

// StoreAppend adds to the end of a record, making it when there is none.
func StoreAppend(t *Task, name string, more []byte) error {
	_, _, err := ask[struct{}](t, abi.EffectStoreAppend, abi.StoreKey{Name: name}, more)
	return err
}

// StoreList gives the names that begin with prefix, sorted.
func StoreList(t *Task, prefix string) ([]string, error) {
	out, _, err := ask[abi.StoreNames](t, abi.EffectStoreList, abi.StoreKey{Name: prefix}, nil)
	return out.Names, err
}

// StoreDelete removes a record.
func StoreDelete(t *Task, name string) error {
	_, _, err := ask[struct{}](t, abi.EffectStoreDelete, abi.StoreKey{Name: name}, nil)
	return err
}

// SessionRead reads a slice of a session's event log.
func SessionRead(t *Task, req abi.SessionRead) (abi.SessionEvents, error) {
	out, _, err := ask[abi.SessionEvents](t, abi.EffectSessionRead, req, nil)
	return out, err
}

// SessionCommit appends events in one step if the log still stands where
// expected. Code "conflict" when it does not; nothing was appended then.
func SessionCommit(t *Task, req abi.SessionCommit) (abi.SessionCommitted, error) {
	out, _, err := ask[abi.SessionCommitted](t, abi.EffectSessionCommit, req, nil)
	return out, err
}

// Realpath gives the real path of each path; see abi.PathsAnswer for those that
// do not exist.
func Realpath(t *Task, paths []string) (map[string]string, error) {
	out, _, err := ask[abi.PathsAnswer](t, abi.EffectRealpath, abi.PathsRequest{Paths: paths}, nil)
	return out.Real, err
}

// Effect asks for an effect by its kind, with the bytes of its head and body.
// The typed functions beside it are the ones to use where there is one.
func Effect(t *Task, kind string, head, body []byte) ([]byte, []byte, error) {
	return t.effect(kind, head, body)
}

// LLM makes one model request through the Harness, of messages that the call's own
// caller holds, and gives how it ended with the answer's text. A request that the
// model's server refuses is no error.
func LLM(t *Task, req abi.LLMRequest) (abi.LLMAnswer, []byte, error) {
	return ask[abi.LLMAnswer](t, abi.EffectLLM, req, nil)
}

// RestorePut keeps the messages that the call's own caller holds in a file of the session's
// workspace, and gives its path there.
func RestorePut(t *Task) (path string, err error) {
	out, _, err := ask[abi.RestorePutAnswer](t, abi.EffectRestorePut, struct{}{}, nil)
	return out.Path, err
}
