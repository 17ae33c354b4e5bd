package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"strata.dev/bridge/proto/chat"
)

// scheduled speaks to the tasks of the host that runs.
type scheduled struct {
	running
	out    io.Writer
	asJSON bool
}

func tasksCommand() *cobra.Command {
	var s scheduled
	c := &cobra.Command{
		Use: "tasks", Short: "Have the agent do things at a time, or again and again, by a running host",
		PersistentPreRun: func(c *cobra.Command, _ []string) { s.out = c.OutOrStdout() },
	}
	s.add(c)
	c.PersistentFlags().BoolVar(&s.asJSON, "json", false, "print JSON, as the host gives it")
	one := func(use, short, method, path string) *cobra.Command {
		return &cobra.Command{Use: use + " ID", Short: short, Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
			return s.task(c.Context(), method, "api/tasks/"+url.PathEscape(args[0])+path, nil)
		}}
	}
	var last int
	results := &cobra.Command{Use: "results ID", Short: "Print what a task's runs came to, the newest first", Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
		return s.results(c.Context(), args[0], last)
	}}
	results.Flags().IntVar(&last, "last", 0, "only that many (0: all that are kept)")
	var wait bool
	run := &cobra.Command{Use: "run ID", Short: "Run a task now", Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
		return s.run(c.Context(), args[0], wait)
	}}
	run.Flags().BoolVar(&wait, "wait", false, "wait for its end and print what it came to")
	c.AddCommand(&cobra.Command{Use: "list", Short: "Print the tasks", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		return s.list(c.Context())
	}}, one("show", "Print a task", http.MethodGet, ""), one("stop", "Stop a task's run", http.MethodPost, "/stop"),
		s.addCommand(), s.editCommand(), run, results,
		&cobra.Command{Use: "remove ID", Short: "Remove a task and what is kept of its runs", Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
			return s.get(c.Context(), http.MethodDelete, "api/tasks/"+url.PathEscape(args[0]), nil, &struct{}{})
		}})
	return c
}

// said are the flags of a task.
func said(c *cobra.Command, t *chat.TaskSpec) {
	p := c.Flags()
	p.StringVar(&t.Name, "name", "", "its name")
	p.StringVar(&t.Text, "text", "", "the message for the agent; - reads it from stdin")
	p.StringVar(&t.Cron, "cron", "", "when, again and again: minute hour day month weekday, or @daily and its like")
	p.StringVar(&t.At, "at", "", "when, once: 2026-12-24T18:00")
	p.StringVar(&t.Zone, "zone", "", "time zone, such as Europe/Berlin (default the host's own)")
	p.StringVar(&t.Mode, "mode", "", "plan, manual or bypass (default plan)")
	p.StringVar(&t.Model, "model", "", "provider/model (default the host's)")
	p.StringVar(&t.Thinking, "thinking", "", "thinking level")
	p.StringVar(&t.CWD, "cwd", "", "folder to work in (default the host's workspace)")
	p.IntVar(&t.MaxMinutes, "max-minutes", 0, "most that a run may take (default 60)")
	p.BoolVar(&t.Disabled, "off", false, "it runs only by hand")
}

func (s *scheduled) addCommand() *cobra.Command {
	var t chat.TaskSpec
	c := &cobra.Command{Use: "add", Short: "Add a task", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		if err := fromStdin(c, &t.Text); err != nil {
			return err
		}
		return s.task(c.Context(), http.MethodPost, "api/tasks", t)
	}}
	said(c, &t)
	return c
}

func (s *scheduled) editCommand() *cobra.Command {
	var t chat.TaskSpec
	c := &cobra.Command{Use: "edit ID", Short: "Change a task; what is not said stays", Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
		if err := fromStdin(c, &t.Text); err != nil {
			return err
		}
		var p chat.TaskPatch
		for flag, field := range map[string]**string{
			"name": &p.Name, "text": &p.Text, "cron": &p.Cron, "at": &p.At, "zone": &p.Zone, "mode": &p.Mode, "model": &p.Model, "thinking": &p.Thinking, "cwd": &p.CWD,
		} {
			if c.Flags().Changed(flag) {
				value, err := c.Flags().GetString(flag)
				if err != nil {
					return err
				}
				*field = &value
			}
		}
		if c.Flags().Changed("text") {
			p.Text = &t.Text
		}
		if c.Flags().Changed("max-minutes") {
			p.MaxMinutes = &t.MaxMinutes
		}
		if c.Flags().Changed("off") {
			p.Disabled = &t.Disabled
		}
		return s.task(c.Context(), http.MethodPatch, "api/tasks/"+url.PathEscape(args[0]), p)
	}}
	said(c, &t)
	return c
}

// fromStdin reads a text that is given as a dash.
func fromStdin(c *cobra.Command, text *string) error {
	if *text != "-" {
		return nil
	}
	in, err := io.ReadAll(io.LimitReader(c.InOrStdin(), chat.MaxBody))
	if err != nil {
		return fmt.Errorf("reading the text: %w", err)
	}
	*text = strings.TrimSpace(string(in))
	return nil
}

// get makes a request and decodes its answer.
func (s *scheduled) get(ctx context.Context, method, path string, body, into any) error {
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return err
		}
	}
	res, err := s.ask(ctx, method, path, raw)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(into); err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	return nil
}

func (s *scheduled) list(ctx context.Context) error {
	var l chat.TaskList
	if err := s.get(ctx, http.MethodGet, "api/tasks", nil, &l); err != nil {
		return err
	}
	return s.print(l, func() { printTasks(s.out, l.Tasks) })
}

// task makes a request that answers with a task, and prints it.
func (s *scheduled) task(ctx context.Context, method, path string, body any) error {
	var t chat.Task
	if err := s.get(ctx, method, path, body, &t); err != nil {
		return err
	}
	return s.print(t, func() { printTask(s.out, t) })
}

func (s *scheduled) results(ctx context.Context, id string, last int) error {
	var l chat.TaskResults
	if err := s.get(ctx, http.MethodGet, fmt.Sprintf("api/tasks/%s/results?limit=%d", url.PathEscape(id), max(0, last)), nil, &l); err != nil {
		return err
	}
	return s.print(l, func() {
		for _, r := range l.Results {
			printResult(s.out, language(os.Getenv), r)
		}
	})
}

// run begins a run. What waits for its end listens first, so that none is missed.
func (s *scheduled) run(ctx context.Context, id string, wait bool) error {
	path := "api/tasks/" + url.PathEscape(id) + "/run"
	if !wait {
		return s.task(ctx, http.MethodPost, path, nil)
	}
	events, err := s.ask(ctx, http.MethodGet, "api/events", nil)
	if err != nil {
		return err
	}
	defer events.Body.Close()
	var t chat.Task
	if err := s.get(ctx, http.MethodPost, path, nil, &t); err != nil {
		return err
	}
	if t.Running == nil {
		return errors.New("the host began no run")
	}
	r, err := s.ended(ctx, bufio.NewReader(events.Body), id, t.Running.ID)
	if err != nil {
		return coded{exitFailed, fmt.Errorf("waiting for the end: %w", err)}
	}
	if err := s.print(r, func() { printResult(s.out, language(os.Getenv), r) }); err != nil {
		return err
	}
	if r.Outcome != chat.TaskDone {
		return coded{exitFailed, errors.New(string(r.Outcome))}
	}
	return nil
}

// ended reads events up to the end of a run. Where events were lost it looks among the
// results.
func (s *scheduled) ended(ctx context.Context, events *bufio.Reader, id, run string) (chat.TaskResult, error) {
	for {
		line, err := events.ReadBytes('\n')
		if err != nil {
			return chat.TaskResult{}, err
		}
		data, ok := strings.CutPrefix(string(line), "data: ")
		if !ok {
			continue
		}
		var e chat.Event
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return chat.TaskResult{}, err
		}
		var seen []chat.TaskResult
		switch {
		case e.Type == chat.EventReset:
			var l chat.TaskResults
			if err := s.get(ctx, http.MethodGet, "api/tasks/"+url.PathEscape(id)+"/results", nil, &l); err != nil {
				return chat.TaskResult{}, err
			}
			seen = l.Results
		case e.Task != nil && e.Task.Result != nil:
			seen = []chat.TaskResult{*e.Task.Result}
		}
		if i := slices.IndexFunc(seen, func(r chat.TaskResult) bool { return r.ID == run }); i >= 0 {
			return seen[i], nil
		}
	}
}

// print prints what a person reads, or JSON.
func (s *scheduled) print(v any, text func()) error {
	if !s.asJSON {
		text()
		return nil
	}
	enc := json.NewEncoder(s.out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
