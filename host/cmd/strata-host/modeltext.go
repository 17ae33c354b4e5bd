package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// printConnection prints what a person wants to know of a connection: a line of its own,
// what is to be done, and a line for each model.
func printConnection(w io.Writer, tag string, c chat.ModelConnection, byDefault string) {
	about := []string{string(c.Kind), c.BaseURL}
	switch c.Origin {
	case chat.FromApp:
		about = append(about, "loaded by the app")
	case chat.FromFlags:
		about = append(about, "from the command line")
	}
	switch c.KeyIn {
	case chat.KeyInKeyring:
		about = append(about, "key in the keyring")
	case chat.KeyInFile:
		about = append(about, "key in a file of the data folder")
	case chat.KeyInFlags:
		about = append(about, "with a key")
	}
	if c.Slots > 0 {
		about = append(about, strconv.Itoa(c.Slots)+" at once")
	}
	fmt.Fprintf(w, "%s  %s (%s)\n", c.ID, c.Name, strings.Join(about, ", "))
	if c.Text != "" {
		fmt.Fprintf(w, "  %s\n", say.Translate(tag, c.Key, c.Args))
	}
	for _, m := range c.Models {
		mark := " "
		if m.Route != "" && m.Route == byDefault {
			mark = "*"
		}
		route := m.Route
		if route == "" {
			route = "(" + m.ID + ")" // cannot be chosen
		}
		fmt.Fprintf(w, "%s %s%s\n", mark, route, abilities(m.Name, m.ID, m.ContextWindow, m.Images, m.Thinking))
	}
}

func abilities(name, id string, window int64, images bool, thinking []string) string {
	var b strings.Builder
	if name != id && name != "" {
		fmt.Fprintf(&b, "  %s", name)
	}
	if window > 0 {
		fmt.Fprintf(&b, "  %d tokens", window)
	}
	if images {
		b.WriteString("  reads pictures")
	}
	if len(thinking) > 0 {
		fmt.Fprintf(&b, "  thinking: %s", strings.Join(thinking, " "))
	}
	return b.String()
}

// offerLine is a model that a provider has.
func offerLine(o chat.ModelOffer) string {
	line := o.ID + abilities(o.Name, o.ID, o.ContextWindow, o.Images != nil && *o.Images, nil)
	if o.Price != nil {
		line += fmt.Sprintf("  $%g in, $%g out for a million tokens", o.Price.Input, o.Price.Output)
	}
	return line
}
