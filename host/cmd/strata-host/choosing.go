package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/host/internal/tools"
	"strata.dev/bridge/proto/chat"
)

// choosing is what a person chooses of the tools: by the host that runs on the data
// folder, or in its settings file where none does.
type choosing struct {
	running
	keys   string // as serve's flag, where no host runs
	out    io.Writer
	asJSON bool
}

// errNoHost says that no host runs on the data folder.
var errNoHost = errors.New("no host runs")

// get tells what is chosen.
func (s *choosing) get(ctx context.Context) (chat.ToolSettings, error) {
	t, err := s.ask(ctx, http.MethodGet, "", nil)
	if !errors.Is(err, errNoHost) {
		return t, err
	}
	chosen, err := s.open(ctx)
	if err != nil {
		return t, err
	}
	return chosen.Get(), nil
}

// put changes it by a route below api/agent/tools, or as change does where no host runs,
// and tells what is chosen then.
func (s *choosing) put(ctx context.Context, method, path string, body any, change func(*tools.Settings) error) (chat.ToolSettings, error) {
	t, err := s.ask(ctx, method, path, body)
	if errors.Is(err, errNoHost) {
		return s.edit(ctx, change)
	}
	return t, err
}

// ask puts it to the host that runs.
func (s *choosing) ask(ctx context.Context, method, path string, body any) (t chat.ToolSettings, err error) {
	if _, held, err := store.Holder(hostLock(s.data)); err == nil && !held {
		return t, errNoHost
	}
	var raw []byte
	if body != nil {
		if raw, err = json.Marshal(body); err != nil {
			return t, err
		}
	}
	res, err := s.running.ask(ctx, method, "api/agent/tools"+path, raw)
	if err != nil {
		return t, err
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&t); err != nil {
		return t, fmt.Errorf("reading the answer: %w", err)
	}
	return t, nil
}

// edit changes the settings file as the only one who may.
func (s *choosing) edit(ctx context.Context, change func(*tools.Settings) error) (t chat.ToolSettings, err error) {
	lock, err := store.Acquire(hostLock(s.data))
	if errors.Is(err, store.ErrLocked) {
		return t, coded{exitInUse, inUse(s.data)}
	}
	if err != nil {
		return t, say.Error(chat.CodeInternal, err.Error(), say.DataUnusable, "path", s.data)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	chosen, err := s.open(ctx)
	if err == nil {
		err = change(chosen)
	}
	if err != nil {
		return t, err
	}
	return chosen.Get(), nil
}

func (s *choosing) open(ctx context.Context) (*tools.Settings, error) {
	if err := checkKeys(s.keys); err != nil {
		return nil, err
	}
	chosen, err := tools.Open(ctx, settingsFile(s.data), openKeys(ctx, s.data, s.keys))
	if err != nil {
		return nil, savedError(s.data, err)
	}
	return chosen, nil
}
