package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/harness"
	"strata.dev/bridge/host/internal/logx"
	"strata.dev/bridge/host/internal/profile"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/proto/chat"
)

// startLimit is how long the Harness may take to be ready: it needs 1.2 s on an
// idle machine (harness-rc8.md §1), and many times that on one that is busy.
const startLimit = 90 * time.Second

// Home is DSH_HOME in an agent's data folder.
func Home(dir string) string { return filepath.Join(dir, "home") }

// stores is where the plugins' stores are in an agent's data folder.
func stores(dir string) string { return filepath.Join(dir, "plugins") }

// GateStore is the gate's own store in an agent's data folder.
func GateStore(dir string) string { return filepath.Join(stores(dir), "gate") }

// start makes one process: component, profile, launch.
func (a *Agent) start(ctx context.Context) (*harness.Process, error) {
	component, err := harness.Locate(a.o.Getenv, a.o.Harness)
	if err != nil {
		return nil, err
	}
	node, err := harness.FindNode(ctx, a.o.Node)
	if err != nil {
		return nil, err
	}
	var started Settings
	files, err := a.begin(func(s Settings) (profile.Files, error) {
		started = s
		files, plugins, err := a.profile(component, s)
		if err == nil {
			a.mu.Lock()
			a.plugins = plugins
			a.mu.Unlock()
		}
		return files, err
	})
	if err != nil {
		return nil, err
	}
	home := Home(a.o.Dir)
	if _, err := files.Write(home); err != nil {
		return nil, err
	}
	cfg := harness.Config{
		Component: component, Node: node, Home: home, Profile: profile.Name,
		RouteKey: a.o.Proxy.Renew(), Redact: a.o.Redact.Text, Log: a.output(), Timeout: startLimit,
	}
	if started.Search.Keyed() {
		cfg.SearchKey = a.o.Proxy.RenewSearch()
	}
	if len(started.Servers) > 0 {
		_, cfg.Servers = connections.ProfileServers(started.Servers, "")
		cfg.Servers[harness.EnvServerKey] = a.o.Proxy.RenewServers()
	}
	a.o.Redact.Add(cfg.RouteKey, cfg.SearchKey, cfg.Servers[harness.EnvServerKey])
	p, err := a.launch(ctx, files, cfg)
	if err != nil {
		return nil, err
	}
	a.ready()
	a.o.Redact.Add(p.Secret())
	a.o.Log.Info("the Harness is ready", zap.String("version", component.Version), zap.Int("pid", p.PID()), zap.String(logx.KeyPart, "agent"))
	return p, nil
}

// profile generates what the Harness starts from, and says which plugins that is.
func (a *Agent) profile(component harness.Component, s Settings) (profile.Files, []chat.PluginStatus, error) {
	standard, err := profile.ReadStandard(component)
	if err != nil {
		return nil, nil, err
	}
	wasm := filepath.Join(a.o.Shim, "dist", "strata.wasm")
	sum, err := profile.HashFile(wasm)
	if err != nil {
		return nil, nil, say.Error(chat.CodeAgentUnavailable, err.Error(), say.PluginsMissing, "path", wasm)
	}
	p := profile.Settings{Standard: standard, MaxHelpers: s.MaxHelpers, Off: s.Off, Plugins: profile.Plugins{
		Shim: a.o.Shim, Wasm: wasm, SHA256: sum, Store: stores(a.o.Dir), Secrets: a.o.Secrets, Web: s.Web,
		Search: a.search(component, s.Search),
	}, ModelSelection: profile.HasModelSelection(component), Headroom: profile.HasHeadroom(component), HelperLimit: profile.HasHelperLimit(component)}
	for _, c := range s.Connections {
		p.Providers = append(p.Providers, c.Provider(a.o.Proxy.BaseURL(c.ID)))
	}
	switch {
	case len(s.Servers) == 0:
	case profile.HasServers(component):
		p.Servers, _ = connections.ProfileServers(s.Servers, a.o.Proxy.ServersURL())
	default:
		a.o.Log.Warn("this Harness connects no MCP servers; the person's own are left out", zap.String("version", component.Version), zap.String(logx.KeyPart, "agent"))
	}
	files, err := profile.Generate(p)
	return files, []chat.PluginStatus{{Name: "gate", SHA256: sum}, {Name: "fence"}}, err
}

// search is who searches the web, for the profile.
func (a *Agent) search(component harness.Component, s connections.Search) profile.Search {
	if !s.Keyed() {
		return profile.Search{Service: s.Service}
	}
	return profile.Search{Service: s.Service, Origin: a.o.Proxy.SearchURL(), KeyEnv: harness.EnvSearchKey, Stock: profile.HasDeepSeek(component)}
}

// check has the Harness compose the profile and looks whether every row of
// it landed: about one it does not know it says nothing by itself.
func check(ctx context.Context, files profile.Files, cfg harness.Config) error {
	tree, warnings, err := harness.DumpConfig(ctx, cfg)
	if err != nil {
		return err
	}
	if err := files.Check(tree, cfg); err != nil {
		return say.Error(chat.CodeAgentUnavailable, fmt.Sprintf("%v %s", err, warnings), say.HarnessProfile, "path", cfg.Home)
	}
	return nil
}

// output is where the Harness's own lines go: the log, at debug.
func (a *Agent) output() *lines {
	return &lines{log: a.o.Log.Named("harness")}
}

// serverLine begins what shim/mcp.mjs says of an MCP server that cannot be used, or not
// yet.
const serverLine = "strata-mcp: "

// lines logs what is written to it, a line a call.
type lines struct{ log *zap.Logger }

func (l *lines) Write(p []byte) (int, error) {
	if why, ok := strings.CutPrefix(string(p), serverLine); ok {
		l.log.Warn("a tool server gives no tools; look at its program or address", zap.String("why", strings.TrimSpace(why)))
		return len(p), nil
	}
	l.log.Debug(string(p))
	return len(p), nil
}

// Secrets are the paths of a host that its agent may not touch unasked: the data
// folder with the token, the sessions and DSH_HOME, and the key file. Each is
// named as given and by its real path.
func Secrets(paths ...string) []string {
	var out []string
	for _, p := range paths {
		if p == "" {
			continue
		}
		abs, err := filepath.Abs(p)
		if err != nil { // no working folder; the path as given is better than none
			abs = p
		}
		out = append(out, abs)
		if real, err := filepath.EvalSymlinks(abs); err == nil && real != abs {
			out = append(out, real)
		}
	}
	return out
}

// MakeDirs makes the agent's data folder and the plugins' stores, for this user alone,
// and removes what a host that was killed while it wrote a file has left there.
func MakeDirs(dir string) error {
	for _, d := range []string{dir, Home(dir), stores(dir)} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return fmt.Errorf("making the agent's folders: %w", err)
		}
	}
	written := []string{dir}
	for _, name := range []string{profile.ManifestFile, profile.PresetFile} {
		written = append(written, filepath.Dir(filepath.Join(Home(dir), filepath.FromSlash(name))))
	}
	for _, d := range written {
		if err := store.Sweep(d); err != nil {
			return fmt.Errorf("making the agent's folders: %w", err)
		}
	}
	return nil
}
