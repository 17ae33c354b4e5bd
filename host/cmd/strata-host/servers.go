package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/tools"
	"strata.dev/bridge/proto/chat"
)

// ownServers is the list of the person's own MCP servers.
type ownServers struct{ choosing }

func serversCommand() *cobra.Command {
	var s ownServers
	c := &cobra.Command{
		Use: "servers", Short: "Give the agent the tools of MCP servers of your own",
		PersistentPreRun: func(c *cobra.Command, _ []string) { s.out = c.OutOrStdout() },
	}
	s.add(c)
	addKeys(c.PersistentFlags(), &s.keys)
	c.PersistentFlags().BoolVar(&s.asJSON, "json", false, "print JSON, as the host gives it")
	var address string
	add := &cobra.Command{
		Use: "add NAME [--url URL | -- PROGRAM [ARGUMENT]…]", Short: "Add a server that is reached by an address, or a program that is one", Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			p := chat.CustomToolPatch{Kind: chat.KindServer, Name: args[0]}
			if address != "" {
				p.URL = &address
			}
			if len(args) > 1 {
				rest := args[2:]
				p.Command, p.Args = &args[1], &rest
			}
			return s.told(s.put(c.Context(), http.MethodPost, "/custom", p, func(chosen *tools.Settings) error { return chosen.Add(c.Context(), p) }))
		},
	}
	add.Flags().StringVar(&address, "url", "", "its address, over streamable HTTP")
	var forget bool
	set := &cobra.Command{
		Use: "set NAME VARIABLE", Short: "Give a program a variable, or an address a header; the value is read from stdin", Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			var value string
			if !forget {
				in, err := io.ReadAll(io.LimitReader(c.InOrStdin(), maxKeyInput))
				if err != nil {
					return fmt.Errorf("reading the value: %w", err)
				}
				if value = strings.TrimSpace(string(in)); value == "" {
					return say.Error(chat.CodeBadRequest, "", say.ServerValueWrong)
				}
			}
			return s.edit(c.Context(), args[0], chat.CustomToolPatch{Values: map[string]string{args[1]: value}})
		},
	}
	set.Flags().BoolVar(&forget, "forget", false, "forget the value that is kept")
	c.AddCommand(add, set)
	for use, on := range map[string]bool{"on": true, "off": false} {
		c.AddCommand(&cobra.Command{Use: use + " NAME", Short: "Turn a server " + use, Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
			return s.edit(c.Context(), args[0], chat.CustomToolPatch{On: &on})
		}})
	}
	c.AddCommand(&cobra.Command{Use: "remove NAME", Short: "Take a server away, and what was kept for it", Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
		return s.told(s.put(c.Context(), http.MethodDelete, "/custom/"+url.PathEscape(args[0]), nil, func(chosen *tools.Settings) error { return chosen.Remove(c.Context(), args[0]) }))
	}})
	c.AddCommand(&cobra.Command{Use: "list", Short: "List the servers", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		return s.told(s.get(c.Context()))
	}})
	return c
}

func (s *ownServers) edit(ctx context.Context, name string, p chat.CustomToolPatch) error {
	return s.told(s.put(ctx, http.MethodPatch, "/custom/"+url.PathEscape(name), p, func(chosen *tools.Settings) error { return chosen.Edit(ctx, name, p) }))
}

// told prints what a person reads of the servers, or JSON.
func (s *ownServers) told(t chat.ToolSettings, err error) error {
	if err != nil {
		return err
	}
	if s.asJSON {
		enc := json.NewEncoder(s.out)
		enc.SetIndent("", "  ")
		return enc.Encode(t.Custom)
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, server := range t.Custom {
		where := server.URL
		if where == "" {
			where = strings.Join(append([]string{server.Command}, server.Args...), " ")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", server.ID, map[bool]string{false: "off", true: "on"}[server.On], where, strings.Join(server.Values, " "))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, server := range t.Custom {
		if server.Warning != nil {
			fmt.Fprintln(s.out, say.Translate(language(os.Getenv), server.Warning.Key, server.Warning.Args))
		}
	}
	return nil
}
