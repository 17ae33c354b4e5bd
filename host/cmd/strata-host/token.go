package main

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/proto/chat"
)

// minToken is the shortest token that a person may set, in characters.
const minToken = 32

// launchToken gives the token that requests must carry: the person's own, or a new
// one, written to the data folder for this user's programs alone.
func launchToken(file, data string) (string, error) {
	if file == "" {
		var raw [32]byte
		_, _ = rand.Read(raw[:]) // never fails
		token := hex.EncodeToString(raw[:])
		path := filepath.Join(data, "token")
		if err := store.WriteFile(path, []byte(token+"\n")); err != nil {
			return "", say.Error(chat.CodeInternal, err.Error(), say.DataUnusable, "path", data)
		}
		return token, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", say.Error(chat.CodeBadRequest, err.Error(), say.NotFile, "flag", "--token-file", "path", file)
	}
	token := strings.TrimSpace(string(text))
	if len(token) < minToken {
		return "", say.Error(chat.CodeBadRequest, "", say.TokenWeak, "path", file)
	}
	return token, nil
}
