package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// connected speaks to the model connections of the host that runs.
type connected struct{ scheduled }

func modelsCommand() *cobra.Command {
	var m connected
	c := &cobra.Command{
		Use: "models", Short: "Set up which models a running host can use",
		PersistentPreRun: func(c *cobra.Command, _ []string) { m.out = c.OutOrStdout() },
	}
	m.add(c)
	c.PersistentFlags().BoolVar(&m.asJSON, "json", false, "print JSON, as the host gives it")
	one := func(use, short string, run func(context.Context, string) error) *cobra.Command {
		return &cobra.Command{Use: use, Short: short, Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
			return run(c.Context(), args[0])
		}}
	}
	var again bool
	offers := one("offers ID", "Print which models a connection's server has", func(ctx context.Context, id string) error { return m.offers(ctx, id, again) })
	offers.Flags().BoolVar(&again, "again", false, "ask the server, also where its list was read a moment ago")
	c.AddCommand(&cobra.Command{Use: "list", Short: "Print the connections and their models", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		return m.list(c.Context())
	}}, one("show ID", "Print a connection", func(ctx context.Context, id string) error {
		return m.connection(ctx, http.MethodGet, modelPath(id), nil)
	}), m.addCommand(), m.editCommand(), one("test ID", "Try whether a connection works", m.test), offers,
		one("default ROUTE", "Make a model the default", func(ctx context.Context, route string) error {
			return m.get(ctx, http.MethodPut, "api/models/default", chat.ModelDefault{Route: route}, &struct{}{})
		}), one("remove ID", "Remove a connection and its key", func(ctx context.Context, id string) error {
			return m.get(ctx, http.MethodDelete, modelPath(id), nil, &struct{}{})
		}))
	return c
}

func modelPath(id string) string { return "api/models/" + url.PathEscape(id) }

// connectionFlags are what a person says of a connection.
type connectionFlags struct {
	kind, name, baseURL, keyFile string
	models, blind, seeing        []string
	slots                        int
	forget                       bool
}

func (f *connectionFlags) add(c *cobra.Command) {
	p := c.Flags()
	p.StringVar(&f.kind, "kind", "", "openai (any service with its chat completions), anthropic, deepseek, openrouter or local")
	p.StringVar(&f.name, "name", "", "name to show for it")
	p.StringVar(&f.baseURL, "base-url", "", "base URL (default the service's own; a local server has none)")
	p.StringVar(&f.keyFile, "key-file", "", "file with the key, which is copied; - reads it from stdin")
	p.StringArrayVar(&f.models, "model", nil, "model to choose from: its id, ID=TOKENS with its context window, or ID= where the id itself holds =; may be given again")
	p.StringArrayVar(&f.blind, "no-images", nil, "model that is to read no pictures, by its id; may be given again")
	p.StringArrayVar(&f.seeing, "images", nil, "model that is to read pictures again, where its server does not say otherwise; may be given again")
	p.IntVar(&f.slots, "slots", 0, "requests that a local server works on at once")
}

// apply puts what was said into a spec; what was not said stays.
func (f *connectionFlags) apply(c *cobra.Command, spec *chat.ConnectionSpec) error {
	for flag, set := range map[string]func(){
		"kind": func() { spec.Kind = chat.ModelKind(f.kind) }, "name": func() { spec.Name = f.name },
		"base-url": func() { spec.BaseURL = f.baseURL }, "slots": func() { spec.Slots = f.slots },
	} {
		if c.Flags().Changed(flag) {
			set()
		}
	}
	if c.Flags().Changed("key-file") {
		key, err := readSecret(c.InOrStdin(), f.keyFile)
		if err != nil {
			return err
		}
		spec.Key = &key
	}
	if c.Flags().Changed("model") {
		chosen := make([]chat.ModelSpec, 0, len(f.models))
		for _, text := range f.models {
			m, err := modelOf(text, spec.Models)
			if err != nil {
				return err
			}
			chosen = append(chosen, m)
		}
		spec.Models = chosen
	}
	no := false
	for _, id := range f.blind {
		model(spec, id).Images = &no
	}
	for _, id := range f.seeing {
		model(spec, id).Images = nil
	}
	return nil
}

// modelOf reads a model as --model says it; what else is known of it stays.
func modelOf(text string, before []chat.ModelSpec) (chat.ModelSpec, error) {
	id, tokens := text, ""
	if i := strings.LastIndex(text, "="); i >= 0 {
		id, tokens = text[:i], text[i+1:]
	}
	m := chat.ModelSpec{ID: id}
	if i := slices.IndexFunc(before, func(m chat.ModelSpec) bool { return m.ID == id }); i >= 0 {
		m = before[i]
	}
	if tokens == "" {
		return m, nil
	}
	n, err := strconv.ParseInt(tokens, 10, 64)
	if err != nil || n <= 0 {
		return m, say.Error(chat.CodeBadRequest, "", say.CommandWrong, "flag", "--model", "why", "what is behind = is no number of tokens")
	}
	m.ContextWindow = n
	return m, nil
}

// model is the model of an id in a spec, which it is added to where it is not there.
func model(spec *chat.ConnectionSpec, id string) *chat.ModelSpec {
	i := slices.IndexFunc(spec.Models, func(m chat.ModelSpec) bool { return m.ID == id })
	if i < 0 {
		i = len(spec.Models)
		spec.Models = append(spec.Models, chat.ModelSpec{ID: id})
	}
	return &spec.Models[i]
}

// readSecret reads a key's file, or stdin for a dash: a key is no argument, which other
// programs could see.
func readSecret(stdin io.Reader, file string) (string, error) {
	wrong := func(why, details string) (string, error) {
		return "", say.Error(chat.CodeBadRequest, details, say.CommandWrong, "flag", "--key-file", "why", why)
	}
	in := stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return wrong("the file cannot be read", err.Error())
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxKeyInput+1))
	if err != nil {
		return wrong("the file cannot be read", err.Error())
	}
	key := strings.TrimSpace(strings.TrimPrefix(string(data), "\ufeff"))
	switch {
	case len(data) > maxKeyInput:
		return wrong("it holds too much for a key", "")
	case key == "":
		return wrong("it holds no key", "")
	}
	return key, nil
}

func (m *connected) addCommand() *cobra.Command {
	var f connectionFlags
	c := &cobra.Command{Use: "add", Short: "Add a connection", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		var spec chat.ConnectionSpec
		if err := f.apply(c, &spec); err != nil {
			return err
		}
		return m.connection(c.Context(), http.MethodPost, "api/models", spec)
	}}
	f.add(c)
	return c
}

func (m *connected) editCommand() *cobra.Command {
	var f connectionFlags
	c := &cobra.Command{Use: "edit ID", Short: "Change a connection; what is not said stays", Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
		var now chat.ModelConnection
		if err := m.get(c.Context(), http.MethodGet, modelPath(args[0]), nil, &now); err != nil {
			return err
		}
		spec := chat.ConnectionSpec{Kind: now.Kind, Name: now.Name, BaseURL: now.BaseURL, Models: now.Said, Slots: now.SaidSlots}
		if c.Flags().Changed("kind") && !c.Flags().Changed("base-url") {
			spec.BaseURL = "" // the address was the other kind's
		}
		if f.forget {
			spec.Key = new(string)
		}
		if err := f.spell(c, now, &spec); err != nil {
			return err
		}
		if err := f.apply(c, &spec); err != nil {
			return err
		}
		return m.connection(c.Context(), http.MethodPut, modelPath(args[0]), spec)
	}}
	f.add(c)
	c.Flags().BoolVar(&f.forget, "no-key", false, "forget the key that is saved")
	c.MarkFlagsMutuallyExclusive("no-key", "key-file")
	return c
}

// spell names the models of a local server that had all of its models to choose from, where
// something is said of one: the others stay.
func (f *connectionFlags) spell(c *cobra.Command, now chat.ModelConnection, spec *chat.ConnectionSpec) error {
	if now.Kind != chat.KindLocal || len(now.Said) > 0 || len(f.blind)+len(f.seeing) == 0 || c.Flags().Changed("model") {
		return nil
	}
	if len(now.Models) == 0 {
		flag := "--no-images"
		if len(f.blind) == 0 {
			flag = "--images"
		}
		return say.Error(chat.CodeBadRequest, "", say.CommandWrong, "flag", flag, "why", "the server does not tell its models now")
	}
	for _, m := range now.Models {
		spec.Models = append(spec.Models, chat.ModelSpec{ID: m.ID})
	}
	return nil
}

func (m *connected) list(ctx context.Context) error {
	var a chat.ModelsAnswer
	if err := m.get(ctx, http.MethodGet, "api/models", nil, &a); err != nil {
		return err
	}
	return m.print(a, func() {
		for _, c := range a.Connections {
			printConnection(m.out, language(os.Getenv), c, a.Default)
		}
	})
}

// connection makes a request that answers with a connection, and prints it.
func (m *connected) connection(ctx context.Context, method, path string, body any) error {
	var c chat.ModelConnection
	if err := m.get(ctx, method, path, body, &c); err != nil {
		return err
	}
	return m.print(c, func() { printConnection(m.out, language(os.Getenv), c, "") })
}

// test tries a connection; one that does not work is an error.
func (m *connected) test(ctx context.Context, id string) error {
	var t chat.ModelTest
	if err := m.get(ctx, http.MethodPost, modelPath(id)+"/test", nil, &t); err != nil {
		return err
	}
	if !t.OK {
		return &chat.Error{Code: chat.CodeModelFailed, Sentence: t.Sentence, Details: t.Details}
	}
	return m.print(t, func() { fmt.Fprintln(m.out, say.Translate(language(os.Getenv), t.Key, t.Args)) })
}

func (m *connected) offers(ctx context.Context, id string, again bool) error {
	query := ""
	if again {
		query = "?again=1"
	}
	var o chat.ModelOffers
	if err := m.get(ctx, http.MethodGet, modelPath(id)+"/offers"+query, nil, &o); err != nil {
		return err
	}
	if o.Text != "" && o.ReadAt == 0 {
		return &chat.Error{Code: chat.CodeModelFailed, Sentence: o.Sentence, Details: o.Details}
	}
	return m.print(o, func() {
		if o.Text != "" {
			fmt.Fprintln(m.out, say.Translate(language(os.Getenv), o.Key, o.Args))
		}
		for _, offer := range o.Models {
			fmt.Fprintln(m.out, offerLine(offer))
		}
	})
}
