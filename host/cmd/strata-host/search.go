package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/host/internal/tools"
	"strata.dev/bridge/proto/chat"
)

// searching is the choice of who searches the web: by the host that runs on the data
// folder, or in its settings file where none does.
type searching struct {
	running
	out    io.Writer
	asJSON bool
	keys   string // as serve's flag, where no host runs
}

func searchCommand() *cobra.Command {
	var s searching
	c := &cobra.Command{
		Use: "search", Short: "Choose who searches the web for the agent",
		PersistentPreRun: func(c *cobra.Command, _ []string) { s.out = c.OutOrStdout() },
	}
	s.add(c)
	addKeys(c.PersistentFlags(), &s.keys)
	c.PersistentFlags().BoolVar(&s.asJSON, "json", false, "print JSON, as the host gives it")
	var unasked bool
	use := &cobra.Command{Use: "use [SERVICE]", Short: "Choose the service: duckduckgo, exa, perplexity or deepseek", Args: cobra.MaximumNArgs(1), RunE: func(c *cobra.Command, args []string) error {
		var p chat.ToolsPatch
		if len(args) > 0 {
			p.WebSearch = &chat.WebSearchPatch{Service: &args[0]}
		}
		if c.Flags().Changed("without-asking") {
			p.WebWithoutAsking = &unasked
		}
		return s.change(c.Context(), p)
	}}
	use.Flags().BoolVar(&unasked, "without-asking", false, "let the agent search and open pages without a question, in tasks too")
	var forget bool
	key := &cobra.Command{Use: "key", Short: "Save the key of the service that is chosen; it is read from stdin", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		var text string
		if !forget {
			in, err := io.ReadAll(io.LimitReader(c.InOrStdin(), maxKeyInput))
			if err != nil {
				return fmt.Errorf("reading the key: %w", err)
			}
			if text = string(in); text == "" {
				return say.Error(chat.CodeBadRequest, "", say.KeyEmpty)
			}
		}
		return s.change(c.Context(), chat.ToolsPatch{WebSearch: &chat.WebSearchPatch{Key: &text}})
	}}
	key.Flags().BoolVar(&forget, "forget", false, "forget the key that is saved")
	c.AddCommand(use, key, &cobra.Command{Use: "status", Short: "Print who searches the web, and whether a key is saved", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		return s.status(c.Context())
	}})
	return c
}

// maxKeyInput is how much of stdin is read for a key, in bytes.
const maxKeyInput = 64 << 10

func (s *searching) status(ctx context.Context) error {
	t, err := s.ask(ctx, http.MethodGet, nil)
	if errors.Is(err, errNoHost) {
		chosen, err := s.open(ctx)
		if err != nil {
			return err
		}
		return s.print(chosen.Get())
	}
	if err != nil {
		return err
	}
	return s.print(t)
}

func (s *searching) change(ctx context.Context, p chat.ToolsPatch) error {
	t, err := s.ask(ctx, http.MethodPut, p)
	if errors.Is(err, errNoHost) {
		t, err = s.edit(ctx, p)
	}
	if err != nil {
		return err
	}
	return s.print(t)
}

// errNoHost says that no host runs on the data folder.
var errNoHost = errors.New("no host runs")

// ask puts it to the host that runs.
func (s *searching) ask(ctx context.Context, method string, body any) (t chat.ToolSettings, err error) {
	if _, held, err := store.Holder(hostLock(s.data)); err == nil && !held {
		return t, errNoHost
	}
	var raw []byte
	if body != nil {
		if raw, err = json.Marshal(body); err != nil {
			return t, err
		}
	}
	res, err := s.running.ask(ctx, method, "api/agent/tools", raw)
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
func (s *searching) edit(ctx context.Context, p chat.ToolsPatch) (t chat.ToolSettings, err error) {
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
		err = chosen.Change(ctx, p)
	}
	if err != nil {
		return t, err
	}
	return chosen.Get(), nil
}

func (s *searching) open(ctx context.Context) (*tools.Settings, error) {
	if err := checkKeys(s.keys); err != nil {
		return nil, err
	}
	chosen, err := tools.Open(ctx, settingsFile(s.data), openKeys(ctx, s.data, s.keys))
	if err != nil {
		return nil, savedError(s.data, err)
	}
	return chosen, nil
}

// print prints what a person reads, or JSON.
func (s *searching) print(t chat.ToolSettings) error {
	if s.asJSON {
		enc := json.NewEncoder(s.out)
		enc.SetIndent("", "  ")
		return enc.Encode(t)
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, service := range t.WebSearch.Services {
		if service.ID == t.WebSearch.Service {
			fmt.Fprintf(w, "service\t%s\n", service.Name)
			switch {
			case service.KeySet:
				fmt.Fprintln(w, "key\tsaved")
			case service.NeedsKey:
				fmt.Fprintln(w, "key\tnone, so DuckDuckGo is asked")
			default:
				fmt.Fprintln(w, "key\tnot needed")
			}
		}
	}
	fmt.Fprintf(w, "asks first\t%s\n", map[bool]string{false: "yes", true: "no"}[t.WebWithoutAsking])
	return w.Flush()
}
