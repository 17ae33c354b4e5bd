package main

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/proto/chat"
)

// minToken is the shortest token that a person may set, in characters.
const minToken = 32

// launchToken gives the token that requests must carry: the person's own, or a new
// one, written to the data folder for this user's programs alone. The warning,
// where there is one, says that others can read the person's file.
func launchToken(file, data string) (token string, warning *chat.Sentence, err error) {
	if file == "" {
		var raw [32]byte
		_, _ = rand.Read(raw[:]) // never fails
		token := hex.EncodeToString(raw[:])
		path := filepath.Join(data, "token")
		if err := store.WriteFile(path, []byte(token+"\n")); err != nil {
			return "", nil, say.Error(chat.CodeInternal, err.Error(), say.DataUnusable, "path", data)
		}
		return token, nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", nil, say.Error(chat.CodeBadRequest, err.Error(), say.NotFile, "flag", "--token-file", "path", file)
	}
	token = strings.TrimSpace(string(text))
	switch {
	case token == "":
		return "", nil, say.Error(chat.CodeBadRequest, "", say.FileEmpty, "flag", "--token-file", "path", file)
	case len(token) < minToken:
		return "", nil, say.Error(chat.CodeBadRequest, "", say.TokenWeak, "path", file)
	case !sendable(token):
		return "", nil, say.Error(chat.CodeBadRequest, "", say.TokenForm, "path", file)
	}
	if info, err := os.Stat(file); err == nil && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		s := say.Sentence(say.FileOpen, "path", file)
		warning = &s
	}
	return token, warning, nil
}

// sendable tells whether a token fits a header and the fragment of a URL as it is.
func sendable(token string) bool {
	for _, c := range token {
		if c <= ' ' || c > '~' || strings.ContainsRune("%&+#\"", c) {
			return false
		}
	}
	return true
}
