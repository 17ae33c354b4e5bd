package profile

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"strata.dev/bridge/host/internal/harness"
)

// Server is an MCP server, whose tools the agent has as mcp__<name>__<tool>: a program, or
// one that is reached by an address.
type Server struct {
	Name string // 1 to 32 letters, digits, dashes and single underscores

	Command string // is started without a shell
	Args    []string
	// Env says which variable of the Harness's own holds what a variable of the program is
	// to be: names only.
	Env map[string]string

	URL string // of the key proxy
	// KeyEnv names the variable that holds the proxy's token; never a header.
	KeyEnv string
}

const mcpClient = "dsh-mcp-client"

var serverName = regexp.MustCompile(`^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$`)

// HasServers tells whether the component connects MCP servers: a row for a client that is
// not there would keep the Harness from starting.
func HasServers(c harness.Component) bool {
	_, err := readPackage(c, mcpClient, "package.json")
	return err == nil
}

// servers inserts a row for each MCP server: the Harness's own client, which our row waits
// for a few seconds only.
func servers(s Settings) list {
	client := "@deepseek-ai/" + mcpClient
	if s.Plugins.Shim != "" {
		client = join(s.Plugins.Shim, "mcp.mjs")
	}
	rows := list{}
	for _, server := range s.Servers {
		rows = append(rows, mapping{{"id", "mcp-" + server.Name}, {"name", client}, {"config", server.config()}})
	}
	if len(rows) == 0 {
		return nil
	}
	return list{mapping{{"insert", rows}}}
}

// config is that of the Harness's client. A variable that is not set would be an error of
// its schema, and is an empty one.
func (s Server) config() mapping {
	variable := func(name string) string { return "process.env." + name + " ?? ''" }
	if s.URL != "" {
		return mapping{{"serverName", s.Name}, {"transport", "streamable-http"}, {"url", s.URL},
			{"headers", mapping{{"Authorization", js("'Bearer ' + (" + variable(s.KeyEnv) + ")")}}}}
	}
	args := make(list, 0, len(s.Args))
	for _, a := range s.Args {
		args = append(args, a)
	}
	out := mapping{{"serverName", s.Name}, {"transport", "stdio"}, {"command", s.Command}, {"args", args}}
	if len(s.Env) > 0 {
		env := mapping{}
		for _, name := range slices.Sorted(maps.Keys(s.Env)) {
			env = append(env, field{name, js(variable(s.Env[name]))})
		}
		out = append(out, field{"env", env})
	}
	return out
}

// ofHarness are names that stand in an expression as they are, and that the Harness keeps
// out of the agent's shell.
var ofHarness = regexp.MustCompile(`^[A-Z0-9_]*KEY[A-Z0-9_]*$`)

func (s Settings) checkServers() error {
	seen := map[string]bool{}
	for _, server := range s.Servers {
		if len(server.Name) > 32 || !serverName.MatchString(server.Name) || seen[server.Name] || (server.Command == "") == (server.URL == "") {
			return fmt.Errorf("MCP server %q: needs a name of its own, and a program or an address", server.Name)
		}
		seen[server.Name] = true
		variables := slices.Collect(maps.Values(server.Env))
		if server.URL != "" {
			variables = []string{server.KeyEnv}
		}
		for _, name := range variables {
			if !ofHarness.MatchString(name) {
				return fmt.Errorf("MCP server %q: the variable %s would be seen in the agent's shell", server.Name, name)
			}
		}
	}
	return nil
}

// unaddressed takes the key proxy's port out of an address.
func (s Server) unaddressed() Server {
	if _, rest, ok := strings.Cut(strings.TrimPrefix(s.URL, "http://"), "/"); ok {
		s.URL = "/" + rest
	}
	return s
}
