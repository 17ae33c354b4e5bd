package connections

import (
	"encoding"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"strata.dev/bridge/host/internal/redact"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// Key is a provider's key. It prints, formats and encodes as "[key]", so that it
// cannot get into a log, an error or a file by accident.
type Key struct {
	// A pointer, because fmt prints what is in an unexported field of another
	// struct without asking its methods.
	secret *string
}

var (
	_ fmt.Formatter          = Key{}
	_ encoding.TextMarshaler = Key{}
)

func newKey(secret string) Key { return Key{&secret} }

func (k Key) reveal() string {
	if k.secret == nil {
		return ""
	}
	return *k.secret
}

const hidden = "[key]"

// String gives "[key]", or "" for no key.
func (k Key) String() string {
	if k.IsZero() {
		return ""
	}
	return hidden
}

// Format writes String for every verb.
func (k Key) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, k.String()) }

// MarshalText is String, for JSON and the like.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Redact takes the key out of text in each of its forms (redact.Forms), where it is long
// enough for a secret.
func (k Key) Redact(text string) string {
	for _, form := range redact.Forms(k.reveal()) {
		text = strings.ReplaceAll(text, form, hidden)
	}
	return text
}

// Register makes the key known to what redacts texts.
func (k Key) Register(redactor interface{ Add(values ...string) }) {
	if !k.IsZero() {
		redactor.Add(k.reveal())
	}
}

// IsZero tells that there is no key.
func (k Key) IsZero() bool { return k.reveal() == "" }

// NewKey makes a Key of its text, as a person gives it; "" is none. The error says what
// cannot be part of one, without quoting it.
func NewKey(text string) (Key, error) {
	secret, at := keyOf([]byte(text))
	if len(secret) > maxKeyFile {
		return Key{}, fmt.Errorf("a key of more than %d bytes", maxKeyFile)
	}
	if at >= 0 {
		return Key{}, fmt.Errorf("character %d cannot be part of a key", at+1)
	}
	return newKey(secret), nil
}

// maxKeyFile is the largest key file that is read, in bytes.
const maxKeyFile = 64 << 10

// ReadKey reads the one line of a key file. The warning, where there is one, says
// that others can read the file. Errors are *chat.Error and never hold what is in
// the file.
func ReadKey(flag, path string) (Key, *chat.Sentence, error) {
	f, err := os.Open(path)
	if err != nil {
		return Key{}, nil, say.Error(chat.CodeBadRequest, err.Error(), say.NotFile, "flag", flag, "path", path)
	}
	defer f.Close()
	info, err := f.Stat()
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	}
	if err != nil {
		return Key{}, nil, say.Error(chat.CodeBadRequest, err.Error(), say.NotFile, "flag", flag, "path", path)
	}
	secret, at := keyOf(data)
	switch {
	case secret == "":
		return Key{}, nil, say.Error(chat.CodeBadRequest, "", say.FileEmpty, "flag", flag, "path", path)
	case len(data) > maxKeyFile:
		return Key{}, nil, say.Error(chat.CodeBadRequest, "more than 64 KiB", say.KeyFileWrong, "path", path)
	}
	if at >= 0 {
		return Key{}, nil, say.Error(chat.CodeBadRequest, fmt.Sprintf("character %d cannot be part of a key", at+1), say.KeyFileWrong, "path", path)
	}
	var warning *chat.Sentence
	if runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		s := say.Sentence(say.FileOpen, "path", path)
		warning = &s
	}
	return newKey(secret), warning, nil
}

// keyOf gives a key without what editors put around it, and where the first character
// is that no key has; -1 is nowhere.
func keyOf(text []byte) (key string, at int) {
	key = strings.TrimSpace(strings.TrimPrefix(string(text), "\ufeff"))
	return key, strings.IndexFunc(key, func(r rune) bool { return r <= ' ' || r > '~' })
}
