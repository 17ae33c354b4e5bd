package abi

// Effect kinds. The host side carries them out after the export returned.
const (
	EffectAsk           = "ask"            // AskRequest → AskAnswer
	EffectSleep         = "sleep"          // SleepRequest → {}
	EffectFetch         = "fetch"          // FetchRequest + body → FetchAnswer + body
	EffectStoreGet      = "store.get"      // StoreKey → {} + body; code "not-found"
	EffectStorePut      = "store.put"      // StoreKey + body → {}
	EffectStoreAppend   = "store.append"   // StoreKey + body → {}
	EffectStoreList     = "store.list"     // StoreKey (Name is a prefix) → StoreNames
	EffectStoreDelete   = "store.delete"   // StoreKey → {}
	EffectSessionRead   = "session.read"   // SessionRead → SessionEvents
	EffectSessionCommit = "session.commit" // SessionCommit → SessionCommitted; code "conflict"
	EffectRealpath      = "fs.realpath"    // PathsRequest → PathsAnswer
	EffectFetchWeb      = "fetch.web"      // WebRequest → WebAnswer + body
	EffectTextDecode    = "text.decode"    // TextDecode + body → {} + body; code "refused" for a charset that is not known
)

// EffectKinds are all of them.
var EffectKinds = []string{
	EffectAsk, EffectSleep, EffectFetch, EffectStoreGet, EffectStorePut, EffectStoreAppend, EffectStoreList,
	EffectStoreDelete, EffectSessionRead, EffectSessionCommit, EffectRealpath,
	EffectFetchWeb, EffectTextDecode, EffectLLM, EffectRestorePut,
}

// Fault and refusal codes that both host sides use.
const (
	CodeTrap       = "trap"        // the instance died; it is dropped
	CodeDeadline   = "deadline"    // the op's deadline passed
	CodeNotGranted = "not-granted" // the effect is not in the op's row
	CodeCancelled  = "cancelled"   // the caller went away
	CodeBadInput   = "bad-input"   // head is not what the op takes
	CodeUnknownOp  = "unknown-op"  // the plugin has no such op
	CodePanic      = "panic"       // the plugin's code panicked; only this call failed
	CodeNotFound   = "not-found"   // store.get of a name that is not there
	CodeConflict   = "conflict"    // session.commit's expectation does not hold
	CodeRefused    = "refused"     // outside what the effect allows (host, size, name)
	CodeFailed     = "failed"      // anything else; the message says what

	CodeUnknownPlugin = "unknown-plugin" // init named a plugin that the module does not carry
	CodeNotReady      = "not-ready"      // an op was called before init
)

// EffectError is the head of a resume whose ok is false.
type EffectError struct {
	Code    string `json:"code"`
	Message string `json:"message"` // one plain sentence
}

// Error makes it an error for plugin code.
func (e *EffectError) Error() string { return e.Code + ": " + e.Message }

// AskRequest puts a question before the person through the Harness's approval
// service, on the session that made the call.
type AskRequest struct {
	Session string `json:"session"`
	CallID  string `json:"callId"`
	Tool    string `json:"tool"`
	Reason  string `json:"reason"` // the plain sentence on the card
	Digest  string `json:"digest"` // what a yes is bound to (Digest)
	// Share makes one card of all questions of a chat with the same word: one that
	// comes while another is open gets that one's answer. "" shares with none.
	Share string `json:"share,omitempty"`
}

// AskAnswer is what became of the question. Outcome is the Harness's word:
// "allowed-once", "rejected", "cancelled" or "unavailable". Digest is the one
// the answering host named ("" when it named none), Note the person's words.
type AskAnswer struct {
	Outcome string `json:"outcome"`
	Digest  string `json:"digest,omitempty"`
	Note    string `json:"note,omitempty"`
	// Card is the digest of the call whose card was answered, when that was another
	// one's (AskRequest.Share).
	Card string `json:"card,omitempty"`
	// Scope is how far a yes reaches, one of the Scope constants ("" is said by who
	// knows none), Pattern what it covers, Expires when it ends (Unix milliseconds,
	// 0 is never).
	Scope   string `json:"scope,omitempty"`
	Pattern string `json:"pattern,omitempty"`
	Expires int64  `json:"expires,omitempty"`
}

// SleepRequest waits Ms milliseconds.
type SleepRequest struct {
	Ms int `json:"ms"`
}

// FetchRequest is one HTTP request to an allow-listed host. Redirects are not
// followed. The request body is the effect's body.
type FetchRequest struct {
	Method    string            `json:"method"` // "" is GET
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers,omitempty"`
	TimeoutMs int               `json:"timeoutMs,omitempty"` // 0 is 15,000
	MaxBytes  int               `json:"maxBytes,omitempty"`  // of the answer; 0 is 2 MiB
}

// FetchAnswer is the answer's status and headers (names in lower case).
type FetchAnswer struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
}

// WebRequest is one GET request to any host on the public web. The host side looks
// the host up, puts every address it gets before the plugin's own op admitAddress,
// and connects to none but those that were admitted. Redirects are not followed, no
// cookie is kept and no proxy used.
type WebRequest struct {
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers,omitempty"`
	TimeoutMs int               `json:"timeoutMs,omitempty"` // of all of it; 0 is 15,000
	MaxBytes  int               `json:"maxBytes,omitempty"`  // of the body, which is cut there; 0 is 2 MiB
}

// WebAnswer is the answer's status and headers (names in lower case).
type WebAnswer struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	// Truncated says that the body is longer than MaxBytes, or broke off.
	Truncated bool `json:"truncated,omitempty"`
}

// AdmitAddress is the head of the sync op admitAddress, which a plugin that may use
// fetch.web has: an address that a connection is about to be made to.
type AdmitAddress struct {
	Host    string `json:"host"`    // as the URL names it
	Address string `json:"address"` // an IP address
}

// AddressAdmitted is its answer; any other answer, or none, is a no.
type AddressAdmitted struct {
	Admitted bool   `json:"admitted"`
	Reason   string `json:"reason,omitempty"` // why not
}

// TextDecode names the charset of a text, by a label of the Encoding Standard.
type TextDecode struct {
	Charset string `json:"charset"`
}

// StoreKey names a record in the plugin's own folder: 1 to 64 of [a-z0-9._-],
// not beginning with a dot.
type StoreKey struct {
	Name string `json:"name"`
}

// StoreNames are the names that begin with the prefix, sorted.
type StoreNames struct {
	Names []string `json:"names"`
}

// SessionRead asks for a session's events with seq ≥ From, at most Max (0 is 500).
type SessionRead struct {
	Session string `json:"session"`
	From    int64  `json:"from"`
	Max     int    `json:"max,omitempty"`
}

// SessionEvents is a slice of the log, oldest first. Revision is the seq the
// next event will get; Next is From of the next read, 0 when all was given.
type SessionEvents struct {
	Events   []any `json:"events"`
	Revision int64 `json:"revision"`
	Next     int64 `json:"next,omitempty"`
}

// SessionCommit appends events in one synchronous step if the log still stands
// at Expect, and refuses the whole with code "conflict" otherwise.
type SessionCommit struct {
	Session string          `json:"session"`
	Expect  CommitExpect    `json:"expect"`
	Events  []CommittedItem `json:"events"`
}

// CommitExpect is where the log must stand: Revision is the seq the next event
// will get; Generation counts replacements of the visible history.
type CommitExpect struct {
	Revision   int64 `json:"revision"`
	Generation int64 `json:"generation"`
}

// CommittedItem is one event to append.
type CommittedItem struct {
	Type      string `json:"type"`
	Data      any    `json:"data"`
	SurfaceOp any    `json:"surfaceOp,omitempty"`
}

// SessionCommitted are the seqs the events got.
type SessionCommitted struct {
	Seqs []int64 `json:"seqs"`
}

// PathsRequest asks for the real path of each path (absolute).
type PathsRequest struct {
	Paths []string `json:"paths"`
}

// PathsAnswer maps a path to its real path. A path that does not exist maps to
// the real path of its nearest existing parent plus the rest; one that cannot
// be looked up maps to "".
type PathsAnswer struct {
	Real map[string]string `json:"real"`
}
