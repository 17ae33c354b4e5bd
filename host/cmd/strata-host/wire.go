package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// console looks at the wire of the host that runs: the launch secret of the Harness is
// in no file, and stays with the host.
type console struct {
	running
	out io.Writer
}

func wireCommand() *cobra.Command {
	var w console
	c := &cobra.Command{
		Use: "wire", Short: "Look at what a running host and its Harness say to each other",
		PersistentPreRun: func(c *cobra.Command, _ []string) { w.out = c.OutOrStdout() },
	}
	w.add(c)
	var from int64
	var most int
	follow := &cobra.Command{
		Use: "follow SESSION", Short: "Print a session's events as they come", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			q := url.Values{"sessionId": {args[0]}, "from": {strconv.FormatInt(from, 10)}}
			return w.lines(c.Context(), "follow?"+q.Encode(), most)
		},
	}
	follow.Flags().Int64Var(&from, "from", 0, "first event by its seq")
	events := &cobra.Command{
		Use: "events", Short: "Print what happens outside of sessions' logs as it comes", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return w.lines(c.Context(), "events", most) },
	}
	for _, stream := range []*cobra.Command{follow, events} {
		stream.Flags().IntVar(&most, "lines", 0, "end after that many lines (0: go on)")
	}
	c.AddCommand(follow, events, &cobra.Command{
		Use: "status", Short: "Print how the Harness stands, and what of it was not understood", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return w.print(c.Context(), http.MethodGet, "status", nil) },
	}, &cobra.Command{
		Use: "call METHOD [JSON]", Short: "Make a request and print the answer", Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error { return w.call(c.Context(), args) },
	})
	return c
}

// call prints the answer's value; what the Harness refuses is an error.
func (w *console) call(ctx context.Context, args []string) error {
	payload := json.RawMessage("{}")
	if len(args) > 1 {
		payload = json.RawMessage(args[1])
	}
	if !json.Valid(payload) || payload[0] != '{' {
		return say.Error(chat.CodeBadRequest, "", say.WireJSON)
	}
	body, err := json.Marshal(map[string]any{"method": args[0], "payload": payload})
	if err != nil {
		return err
	}
	return w.print(ctx, http.MethodPost, "call", body)
}

// print makes one request and prints its answer, indented.
func (w *console) print(ctx context.Context, method, path string, body []byte) error {
	res, err := w.ask(ctx, method, "api/wire/"+path, body)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	var answer struct {
		Value json.RawMessage `json:"value"`
		Error *struct{ Code, Message, Details string }
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	if e := answer.Error; e != nil {
		return coded{exitFailed, errors.New(strings.TrimSpace(e.Code + ": " + e.Message + " " + e.Details))}
	}
	if path == "call" {
		raw = answer.Value
	}
	var shown bytes.Buffer
	if len(raw) > 0 && json.Indent(&shown, raw, "", "  ") == nil {
		fmt.Fprintln(w.out, strings.TrimSpace(shown.String()))
	}
	return nil
}

// lines prints a stream, which has one JSON object a line, until it ends or a signal
// comes, or as many lines as were wanted.
func (w *console) lines(ctx context.Context, path string, most int) error {
	res, err := w.ask(ctx, http.MethodGet, "api/wire/"+path, nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	r := bufio.NewReader(res.Body)
	for n := 0; ; {
		line, err := r.ReadString('\n')
		if strings.TrimSpace(line) != "" { // an empty one is sent while nothing happens
			fmt.Fprint(w.out, line)
			n++
		}
		switch {
		case ctx.Err() != nil, most > 0 && n >= most:
			return nil
		case err != nil:
			return coded{exitFailed, fmt.Errorf("the stream ended: %w", err)}
		}
	}
}
