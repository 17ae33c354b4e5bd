package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/proto/chat"
)

// hostLock is the data folder's lock; its note is the address of the host that runs.
func hostLock(data string) string { return filepath.Join(data, "host.lock") }

// running is the host that runs on a data folder, spoken to through its own routes.
type running struct{ data, tokenFile string }

func (w *running) add(c *cobra.Command) {
	c.PersistentFlags().StringVar(&w.data, "data", defaultData(), "data folder of the host")
	c.PersistentFlags().StringVar(&w.tokenFile, "token-file", "", "file with the host's token (default the data folder's)")
}

// ask sends one request to the host.
func (w *running) ask(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	base, token, err := w.find()
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, base+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("asking the host: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	// No proxy, and no redirect: neither has anything to do with the token.
	client := &http.Client{
		Transport:     &http.Transport{},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, say.Error(chat.CodeAgentUnavailable, err.Error(), say.NotRunning, "path", w.data)
	}
	if res.StatusCode == http.StatusOK {
		return res, nil
	}
	defer res.Body.Close()
	var refused chat.ErrorBody
	if err := json.NewDecoder(io.LimitReader(res.Body, chat.MaxBody)).Decode(&refused); err != nil {
		return nil, coded{exitFailed, fmt.Errorf("the host answers %s", res.Status)}
	}
	return nil, coded{exitFailed, &refused.Error}
}

// find gives the host's address, which only a host that runs has, and its token.
func (w *running) find() (base, token string, err error) {
	note, held, err := store.Holder(hostLock(w.data))
	if err != nil {
		return "", "", say.Error(chat.CodeInternal, err.Error(), say.DataUnusable, "path", w.data)
	}
	base, _, _ = noted(note)
	if !held || base == "" {
		return "", "", coded{exitFailed, say.Error(chat.CodeAgentUnavailable, "", say.NotRunning, "path", w.data)}
	}
	file := tokenFile(w.tokenFile, w.data)
	raw, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) && w.tokenFile == "" { // the host has one of the person's own
		return "", "", say.Error(chat.CodeBadRequest, err.Error(), say.FlagMissing, "flag", "--token-file")
	}
	if err != nil {
		return "", "", say.Error(chat.CodeBadRequest, err.Error(), say.NotFile, "flag", "--token-file", "path", file)
	}
	return base, strings.TrimSpace(string(raw)), nil
}
