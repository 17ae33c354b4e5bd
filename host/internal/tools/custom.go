package tools

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// What a person may have of their own: beyond all use, and small enough for a profile.
const (
	maxServers = 16
	maxValues  = 32
	maxArgs    = 64
	maxText    = 4096 // bytes of the program, and of each argument
)

// custom is a tool of the person's own in the settings file.
type custom struct {
	Kind     chat.CustomKind   `json:"kind"`
	Name     string            `json:"name"`
	Off      bool              `json:"off,omitempty"`
	URL      string            `json:"url,omitempty"`
	Command  string            `json:"command,omitempty"`
	Args     []string          `json:"args,omitempty"`
	Values   map[string]string `json:"values,omitempty"`
	Revision int               `json:"revision,omitempty"`
}

// server gives the server of a file, which a person may have edited.
func (c custom) server() (connections.Server, bool) {
	s := connections.Server{Name: c.Name, Revision: c.Revision}
	on := !c.Off
	p := chat.CustomToolPatch{On: &on, Command: &c.Command, Args: &c.Args, Values: c.Values}
	if c.URL != "" {
		p.URL, p.Command = &c.URL, nil
	}
	if c.Kind != chat.KindServer || !connections.ValidServerName(c.Name) || patch(&s, p) != nil {
		return connections.Server{}, false
	}
	s.Revision = c.Revision
	return s, true
}

func saved(s connections.Server) custom {
	c := custom{Kind: chat.KindServer, Name: s.Name, Off: s.Off, Command: s.Command, Args: s.Args, Revision: s.Revision}
	if s.URL != nil {
		c.URL = s.URL.String()
	}
	for name, v := range s.Values {
		if c.Values == nil {
			c.Values = map[string]string{}
		}
		c.Values[name] = v.Save()
	}
	return c
}

// listed is what a page is told of servers: of values the names alone.
func listed(all []connections.Server) []chat.CustomTool {
	out := make([]chat.CustomTool, 0, len(all))
	for _, s := range all {
		t := chat.CustomTool{ID: s.Name, Kind: chat.KindServer, On: !s.Off, Command: s.Command, Args: s.Args, Values: slices.Sorted(maps.Keys(s.Values))}
		if s.URL != nil {
			t.URL = s.URL.String()
		}
		out = append(out, t)
	}
	return out
}

// Add adds a tool of the person's own. Errors are as Change's.
func (s *Settings) Add(p chat.CustomToolPatch) error {
	return s.change(func(c *Choice) error {
		switch {
		case p.Kind != chat.KindServer:
			return say.Error(chat.CodeBadRequest, "", say.ToolKindUnknown)
		case !connections.ValidServerName(p.Name):
			return say.Error(chat.CodeBadRequest, "", say.ServerNameWrong)
		case c.find(p.Name) >= 0:
			return say.Error(chat.CodeBadRequest, "", say.ServerNameTaken, "name", p.Name)
		case len(c.Servers) >= maxServers:
			return say.Error(chat.CodeBadRequest, "", say.ServersFull, "count", strconv.Itoa(maxServers))
		}
		server := connections.Server{Name: p.Name}
		if err := patch(&server, p); err != nil {
			return err
		}
		c.Servers = append(c.Servers, server)
		slices.SortFunc(c.Servers, func(a, b connections.Server) int { return cmp.Compare(a.Name, b.Name) })
		return nil
	})
}

// Edit changes the tool of that id. Errors are as Change's; one of no tool has
// CodeUnknownTool.
func (s *Settings) Edit(id string, p chat.CustomToolPatch) error {
	return s.change(func(c *Choice) error {
		i := c.find(id)
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
func (s *Settings) Remove(id string) error {
	return s.change(func(c *Choice) error {
		i := c.find(id)
		if i < 0 {
			return say.Error(chat.CodeUnknownTool, "", say.ServerUnknown)
		}
		c.Servers = slices.Delete(c.Servers, i, i+1)
		return nil
	})
}

func (c *Choice) find(name string) int {
	return slices.IndexFunc(c.Servers, func(s connections.Server) bool { return s.Name == name })
}

// patch changes what a person asks for. A server that is reached in another way than
// before, or in another place, keeps no values: they were for the old one.
func patch(s *connections.Server, p chat.CustomToolPatch) error {
	if p.On != nil {
		s.Off = !*p.On
	}
	was := saved(*s)
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
	now := saved(*s)
	if moved := was.URL != now.URL || was.Command != now.Command; moved {
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
