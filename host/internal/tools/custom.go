package tools

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/proto/chat"
)

// What a person may have of their own: beyond all use, and small enough for a profile.
const (
	maxServers = 16
	maxValues  = 10 // which at their longest are one key (connections.NewKey)
	maxArgs    = 64
	maxText    = 4096 // bytes of the program, and of each argument
)

// custom is a tool of the person's own in the settings file.
type custom struct {
	Kind     chat.CustomKind    `json:"kind"`
	Name     string             `json:"name"`
	Off      bool               `json:"off,omitempty"`
	URL      string             `json:"url,omitempty"`
	Command  string             `json:"command,omitempty"`
	Args     []string           `json:"args,omitempty"`
	Kept     connections.KeyRef `json:"kept,omitzero"` // where its values are
	Revision int                `json:"revision,omitempty"`
	Rest     store.Rest         `json:"-"`
}

type plainCustom custom

// UnmarshalJSON and MarshalJSON keep what another version of the host wrote besides.
func (c *custom) UnmarshalJSON(data []byte) error { return c.Rest.Read(data, (*plainCustom)(c)) }
func (c custom) MarshalJSON() ([]byte, error)     { return c.Rest.Write(plainCustom(c)) }

// servers are those of the file, which a person may have edited: what is none is left out.
func (s section) servers() []connections.Server {
	var out []connections.Server
	for _, c := range s.Custom {
		server, on := connections.Server{Name: c.Name}, !c.Off
		p := chat.CustomToolPatch{On: &on, Command: &c.Command, Args: &c.Args}
		if c.URL != "" {
			p.URL, p.Command = &c.URL, nil
		}
		if c.Kind == chat.KindServer && connections.ValidServerName(c.Name) && patch(&server, p) == nil && find(out, c.Name) < 0 {
			server.Revision = c.Revision
			out = append(out, server)
		}
	}
	slices.SortFunc(out, byName)
	return out
}

// values says where the values of servers are, by name.
func (s section) values() map[string]connections.KeyRef {
	out := map[string]connections.KeyRef{}
	for _, c := range s.Custom {
		if c.Kind == chat.KindServer && c.Kept != (connections.KeyRef{}) {
			out[c.Name] = c.Kept
		}
	}
	return out
}

// merged puts servers into the rows of a file, which keeps tools of other kinds.
func merged(rows []custom, servers []connections.Server, values map[string]connections.KeyRef) []custom {
	out := slices.DeleteFunc(slices.Clone(rows), func(c custom) bool { return c.Kind == chat.KindServer })
	for _, s := range servers {
		c := custom{Kind: chat.KindServer, Name: s.Name, Off: s.Off, URL: s.Address(), Command: s.Command, Args: s.Args, Kept: values[s.Name], Revision: s.Revision}
		for _, row := range rows {
			if row.Kind == chat.KindServer && row.Name == s.Name {
				c.Rest = row.Rest
			}
		}
		out = append(out, c)
	}
	return out
}

// give gives servers the values that they do not have yet. Where they cannot be read now,
// they have none until they can.
func (k *keys) give(ctx context.Context, servers []connections.Server) {
	known := map[string]connections.Key{}
	for _, s := range servers {
		known[s.Name] = connections.Seal(s.Values)
	}
	k.reread(ctx, known)
	for i := range servers {
		if servers[i].Values == nil {
			servers[i].Values = connections.Unseal(known[servers[i].Name])
		}
	}
}

// listed is what a page is told of servers: of values the names alone.
func listed(all []connections.Server) []chat.CustomTool {
	out := make([]chat.CustomTool, 0, len(all))
	for _, s := range all {
		out = append(out, chat.CustomTool{
			ID: s.Name, Kind: chat.KindServer, On: !s.Off, URL: s.Address(), Command: s.Command, Args: s.Args, Values: slices.Sorted(maps.Keys(s.Values)), Warning: inClear(s),
		})
	}
	return out
}

// Add adds a tool of the person's own. Errors are as Change's.
func (s *Settings) Add(ctx context.Context, p chat.CustomToolPatch) error {
	return s.changeServer(ctx, p.Name, func(c *Choice) error {
		switch {
		case p.Kind != chat.KindServer:
			return say.Error(chat.CodeBadRequest, "", say.ToolKindUnknown)
		case !connections.ValidServerName(p.Name):
			return say.Error(chat.CodeBadRequest, "", say.ServerNameWrong)
		case find(c.Servers, p.Name) >= 0:
			return say.Error(chat.CodeBadRequest, "", say.ServerNameTaken, "name", p.Name)
		case len(c.Servers) >= maxServers:
			return say.Error(chat.CodeBadRequest, "", say.ServersFull, "count", strconv.Itoa(maxServers))
		}
		// Another one of that name before it had other values, maybe.
		server := connections.Server{Name: p.Name, Revision: rand.IntN(1 << 30)}
		if err := patch(&server, p); err != nil {
			return err
		}
		c.Servers = append(c.Servers, server)
		slices.SortFunc(c.Servers, byName)
		return nil
	})
}

// Edit changes the tool of that id. Errors are as Change's; one of no tool has
// CodeUnknownTool.
func (s *Settings) Edit(ctx context.Context, id string, p chat.CustomToolPatch) error {
	return s.changeServer(ctx, id, func(c *Choice) error {
		i := find(c.Servers, id)
		if i < 0 {
			return say.Error(chat.CodeUnknownTool, "", say.ServerUnknown)
		}
		if p.Kind != "" && p.Kind != chat.KindServer || p.Name != "" && p.Name != id {
			return say.Error(chat.CodeBadRequest, "", say.ServerRenamed)
		}
		return patch(&c.Servers[i], p)
	})
}

// Remove takes the tool of that id away. Errors are as Edit's.
func (s *Settings) Remove(ctx context.Context, id string) error {
	return s.changeServer(ctx, id, func(c *Choice) error {
		i := find(c.Servers, id)
		if i < 0 {
			return say.Error(chat.CodeUnknownTool, "", say.ServerUnknown)
		}
		c.Servers = slices.Delete(c.Servers, i, i+1)
		return nil
	})
}

// changeServer changes the server of that name, and keeps its values where they changed.
func (s *Settings) changeServer(ctx context.Context, name string, apply func(*Choice) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.choice.clone()
	s.values.give(ctx, next.Servers) // the keyring may be open now
	if err := apply(&next); err != nil {
		return err
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	was, is := server(s.choice, name), server(next, name)
	values := s.values.kept
	if is.Revision != was.Revision {
		var err error
		if values, err = s.values.put(ctx, name, connections.Seal(is.Values)); err != nil {
			return err
		}
	}
	return s.keep(ctx, next, s.keys.kept, values)
}

func find(all []connections.Server, name string) int {
	return slices.IndexFunc(all, func(s connections.Server) bool { return s.Name == name })
}

// server gives the one of that name; the zero value where there is none.
func server(c Choice, name string) connections.Server {
	if i := find(c.Servers, name); i >= 0 {
		return c.Servers[i]
	}
	return connections.Server{}
}

func byName(a, b connections.Server) int { return cmp.Compare(a.Name, b.Name) }

// patch changes what a person asks for. A server that is reached in another way than
// before, or in another place, keeps no values: they were for the old one.
func patch(s *connections.Server, p chat.CustomToolPatch) error {
	if p.On != nil {
		s.Off = !*p.On
	}
	was := *s
	if p.URL != nil && *p.URL != "" {
		if p.Command != nil && *p.Command != "" {
			return say.Error(chat.CodeBadRequest, "", say.ServerEither)
		}
		u, err := connections.ParseServerURL(*p.URL)
		if err != nil {
			return say.Error(chat.CodeBadRequest, "", say.AddressWrong, "why", err.Error())
		}
		s.URL, s.Command, s.Args = u, "", nil
	}
	if p.Command != nil && *p.Command != "" {
		s.URL, s.Command = nil, strings.TrimSpace(*p.Command)
	}
	if p.Args != nil && s.URL == nil {
		s.Args = slices.Clone(*p.Args)
	}
	switch {
	case s.URL == nil && s.Command == "":
		return say.Error(chat.CodeBadRequest, "", say.ServerEither)
	case s.URL == nil && !startable(*s):
		return say.Error(chat.CodeBadRequest, "", say.ServerProgramWrong)
	}
	if was.Address() != s.Address() || was.Command != s.Command {
		s.Values = nil
		s.Revision++
	}
	if err := values(s, p.Values); err != nil {
		return err
	}
	if s.InClear() {
		return say.Error(chat.CodeBadRequest, "", say.ServerInClear)
	}
	return nil
}

// values changes the headers or variables.
func values(s *connections.Server, patch map[string]string) error {
	if len(patch) == 0 {
		return nil
	}
	s.Revision++
	if s.Values == nil {
		s.Values = map[string]connections.Key{}
	}
	for name, text := range patch {
		valid := connections.ValidVariable
		if s.URL != nil {
			valid = connections.ValidHeader
		}
		if !valid(name) {
			return say.Error(chat.CodeBadRequest, "", say.ServerValueName, "name", name)
		}
		if text == "" {
			delete(s.Values, name)
			continue
		}
		v, err := connections.ServerValue(text)
		if err != nil {
			return err
		}
		s.Values[name] = v
	}
	if len(s.Values) > maxValues {
		return say.Error(chat.CodeBadRequest, "", say.ServerValuesFull, "count", strconv.Itoa(maxValues))
	}
	return nil
}

// startable tells whether a program and its arguments can be handed to the system.
func startable(s connections.Server) bool {
	return len(s.Args) <= maxArgs && !slices.ContainsFunc(append([]string{s.Command}, s.Args...), func(text string) bool {
		return len(text) > maxText || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
	})
}
