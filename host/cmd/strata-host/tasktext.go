package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// printTasks prints a line for each task.
func printTasks(w io.Writer, tasks []chat.Task) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, task := range tasks {
		last := "-"
		if task.Last != nil {
			last = string(task.Last.Outcome)
		}
		fmt.Fprintf(t, "%s\t%s\tnext %s\tlast %s\t%s\t%s\n", task.ID, stateOf(task), clock(task.NextAt, task.Zone), last, task.Mode, plain(task.Name))
	}
	_ = t.Flush() // what cannot be printed cannot be told either
}

// printTask prints all of a task.
func printTask(w io.Writer, task chat.Task) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(t, "%s\t%s\n", name, plain(value))
		}
	}
	row("id", task.ID)
	row("name", task.Name)
	row("state", stateOf(task))
	row("cron", task.Cron)
	row("at", task.At)
	row("zone", cmp.Or(task.Zone, "the host's own"))
	row("next", clock(task.NextAt, task.Zone))
	row("mode", task.Mode)
	row("model", task.Model)
	row("thinking", task.Thinking)
	row("folder", task.CWD)
	row("at most", fmt.Sprintf("%d minutes", task.MaxMinutes))
	if task.Last != nil {
		row("last", string(task.Last.Outcome)+" "+clock(task.Last.EndedAt, task.Zone))
	}
	_ = t.Flush()
	fmt.Fprintln(w, indent(task.Text))
}

// stateOf says in a word how a task stands.
func stateOf(t chat.Task) string {
	switch {
	case t.Running != nil && t.Running.Waits:
		return "waiting"
	case t.Running != nil:
		return "running"
	case t.Disabled:
		return "off"
	case t.NextAt == 0:
		return "over"
	}
	return "on"
}

// printResult prints what a run came to, its sentence in the terminal's language.
func printResult(w io.Writer, tag string, r chat.TaskResult) {
	facts := []string{clock(cmp.Or(r.BegunAt, r.DueAt, r.EndedAt), ""), string(r.Outcome)}
	if r.Times > 1 {
		facts = append(facts, fmt.Sprintf("%d times", r.Times))
	}
	if r.BegunAt > 0 {
		facts = append(facts, (time.Duration(r.DurationMs) * time.Millisecond).Round(100*time.Millisecond).String())
	}
	if r.Usage != nil {
		facts = append(facts, fmt.Sprintf("%d tokens", r.Usage.Prompt+r.Usage.Completion))
	}
	fmt.Fprintln(w, strings.Join(append(facts, r.ID), "  "))
	for _, s := range append([]chat.Sentence{r.Note}, r.Told...) {
		fmt.Fprintln(w, indent(translated(tag, s)))
	}
	if r.Details != "" {
		fmt.Fprintln(w, indent(say.Translate(tag, say.DetailsAre, map[string]string{"text": r.Details})))
	}
	for _, a := range r.Changes {
		fmt.Fprintln(w, "  + "+plain(a.Title))
	}
	for _, a := range r.Refused {
		fmt.Fprintln(w, strings.TrimRight("  - "+plain(a.Title+"  "+translated(tag, a.Reason)), " "))
	}
	if r.Summary != "" {
		fmt.Fprintln(w, indent(r.Summary))
	}
}

func translated(tag string, s chat.Sentence) string {
	if s.Key == "" {
		return s.Text
	}
	return say.Translate(tag, s.Key, s.Args)
}

// clock shows a time (Unix milliseconds) in a zone, "" for the terminal's own.
func clock(ms int64, zone string) string {
	if ms == 0 {
		return "never"
	}
	at := time.UnixMilli(ms)
	if in, err := time.LoadLocation(zone); err == nil && zone != "" {
		at = at.In(in)
	}
	return at.Format("2006-01-02 15:04 MST")
}

func indent(s string) string { return "  " + strings.ReplaceAll(plain(s), "\n", "\n  ") }

// plain takes out what would steer the terminal: a model may have written it.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}
