package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/tools"
	"strata.dev/bridge/proto/chat"
)

// searching is the choice of who searches the web.
type searching struct{ choosing }

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
	t, err := s.get(ctx)
	if err != nil {
		return err
	}
	return s.print(t)
}

func (s *searching) change(ctx context.Context, p chat.ToolsPatch) error {
	t, err := s.put(ctx, http.MethodPut, "", p, func(chosen *tools.Settings) error { return chosen.Change(ctx, p) })
	if err != nil {
		return err
	}
	return s.print(t)
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
