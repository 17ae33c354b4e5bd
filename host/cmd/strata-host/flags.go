package main

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"strata.dev/bridge/host/internal/agent"
	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/profile"
	"strata.dev/bridge/host/internal/redact"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/tools"
	"strata.dev/bridge/proto/chat"
)

// freePort lets the system choose one of loopback.
const freePort = "127.0.0.1:0"

// flags are what serve is told.
type flags struct {
	harness, node, shim, data, workspace string
	listen, tokenFile, logLevel          string
	ready                                string
	models                               []string
	port, parent                         int
	webUnasked, noGoals, images          bool
	keys                                 string
	model                                connections.Flags
}

func (f *flags) add(c *cobra.Command) {
	p := c.Flags()
	p.StringVar(&f.harness, "harness", "", "folder that the Harness is installed in (STRATA_HARNESS_DIR comes first)")
	p.StringVar(&f.node, "node", "", "Node.js to run it with, 22.19 or newer (default the one on the PATH)")
	p.StringVar(&f.shim, "shim", defaultShim(), "folder of the plugins")
	p.StringVar(&f.data, "data", defaultData(), "folder for chats, settings and the token")
	p.StringVar(&f.workspace, "workspace", "", "folder the agent works in (default the current one)")
	p.StringVar(&f.listen, "listen", freePort, "address to serve on; anything but loopback needs --token-file")
	p.IntVar(&f.port, "port", 0, "port of loopback to serve on, 0 for a free one")
	p.StringVar(&f.ready, "ready", "text", "what is printed once it answers: text, or json in one line (url, tokenFile, pid, version)")
	p.IntVar(&f.parent, "parent", 0, "process that the host belongs to; when it is gone, the host ends too")
	p.StringVar(&f.tokenFile, "token-file", "", "file with a token of your own (default a new one each start)")
	p.StringVar(&f.logLevel, "log-level", "info", "debug, info, warn or error")
	p.BoolVar(&f.webUnasked, "web-unasked", false, "let the agent search the web and open pages without asking, in tasks too")
	p.BoolVar(&f.noGoals, "no-goals", false, "turn goals off: /goal says so, and the agent has no tools for them")
	p.StringVar(&f.model.BaseURL, "base-url", "", "base URL of a model server, beside the connections that are saved (strata-host models)")
	p.StringArrayVar(&f.models, "model", nil, "model that the server has; given again it is one more to choose from, the first is the default")
	p.StringVar(&f.model.Name, "model-name", "", "name to show for it")
	p.Int64Var(&f.model.ContextWindow, "context-window", 0, "its context window in tokens; without it only a server of this machine is asked for it")
	p.IntVar(&f.model.Slots, "slots", 0, "requests that it works on at once; as many helpers may be at work, and 4 at the least, 8 where it is not on this machine")
	p.BoolVar(&f.images, "images", true, "the models read pictures")
	addKeys(p, &f.keys)
	p.StringVar(&f.model.KeyFile, "key-file", "", "file with the server's key; the key is in no other place")
}

// Where keys may be kept.
const (
	keysInRing = "keyring"
	keysInFile = "file"
)

func addKeys(p *pflag.FlagSet, keys *string) {
	p.StringVar(keys, "keys", keysInRing, "where keys that you enter are kept: keyring (a file where there is none), or file")
}

func checkKeys(keys string) error {
	if keys != keysInRing && keys != keysInFile {
		return say.Error(chat.CodeBadRequest, "", say.FlagWrong, "flag", "--keys", "why", "it is neither keyring nor file")
	}
	return nil
}

// resolve makes the paths absolute and checks them.
func (f *flags) resolve() error {
	if len(f.models) > 0 {
		f.model.Model, f.model.More = f.models[0], f.models[1:]
	}
	f.model.NoPictures = !f.images
	if err := checkKeys(f.keys); err != nil {
		return err
	}
	if f.workspace == "" {
		dir, err := os.Getwd()
		if err != nil {
			return say.Error(chat.CodeBadRequest, err.Error(), say.FlagMissing, "flag", "--workspace")
		}
		f.workspace = dir
	}
	if f.data == "" {
		return say.Error(chat.CodeBadRequest, "", say.FlagMissing, "flag", "--data")
	}
	for flag, path := range map[string]*string{"--harness": &f.harness, "--shim": &f.shim, "--data": &f.data, "--workspace": &f.workspace} {
		if *path == "" {
			continue
		}
		abs, err := filepath.Abs(*path)
		if err != nil {
			return say.Error(chat.CodeBadRequest, err.Error(), say.FlagWrong, "flag", flag, "why", err.Error())
		}
		*path = abs
	}
	if info, err := os.Stat(f.workspace); err != nil || !info.IsDir() {
		return say.Error(chat.CodeBadRequest, "", say.NotFolder, "flag", "--workspace", "path", f.workspace)
	}
	if f.port != 0 && f.listen != freePort {
		return say.Error(chat.CodeBadRequest, "", say.FlagWrong, "flag", "--port", "why", "--listen names a port too")
	}
	if f.port < 0 || f.port > 65535 {
		return say.Error(chat.CodeBadRequest, "", say.FlagWrong, "flag", "--port", "why", "it is no port")
	}
	if f.port != 0 {
		f.listen = net.JoinHostPort("127.0.0.1", strconv.Itoa(f.port))
	}
	if f.ready != "text" && f.ready != "json" {
		return say.Error(chat.CodeBadRequest, "", say.FlagWrong, "flag", "--ready", "why", "it is neither text nor json")
	}
	if f.parent < 0 {
		return say.Error(chat.CodeBadRequest, "", say.FlagWrong, "flag", "--parent", "why", "it is no process")
	}
	host, _, err := net.SplitHostPort(f.listen)
	if err != nil {
		return say.Error(chat.CodeBadRequest, "", say.FlagWrong, "flag", "--listen", "why", err.Error())
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) && f.tokenFile == "" {
		return say.Error(chat.CodeBadRequest, "", say.ListenNeedsToken, "addr", f.listen)
	}
	if _, err := zapcore.ParseLevel(f.logLevel); err != nil {
		return say.Error(chat.CodeBadRequest, err.Error(), say.FlagWrong, "flag", "--log-level", "why", "it is none of debug, info, warn and error")
	}
	return nil
}

// settings are what the agent is composed of.
func (f *flags) settings(all []connections.Connection) agent.Settings {
	s := agent.Settings{Connections: all, MaxHelpers: connections.MaxHelpers(all)}
	if f.noGoals {
		s.Off = append(s.Off, "tool-goal")
	}
	return s
}

// choose puts what the person chose under Settings → Tools into what the agent is
// composed of. A flag lets in more than the choice does, never less.
func (f *flags) choose(c tools.Choice, s *agent.Settings, redactor *redact.Redactor) {
	s.Search = c.Search()
	s.Search.Key.Register(redactor)
	s.Servers = c.Servers
	for _, server := range c.Servers {
		server.Register(redactor)
	}
	s.Web = profile.Web{Engine: tools.Engine(s.Search), SkipAsk: f.webUnasked || c.WebWithoutAsking}
}

// agentOptions are what the agent is made of.
func (f *flags) agentOptions(dir string, settings agent.Settings, proxy *connections.Proxy, redactor *redact.Redactor, log *zap.Logger) agent.Options {
	return agent.Options{
		Getenv: os.Getenv, Harness: f.harness, Node: f.node, Shim: f.shim, Dir: dir,
		Secrets:  agent.Secrets(f.data, f.model.KeyFile, f.tokenFile),
		Settings: settings, Proxy: proxy, Redact: redactor, Log: log,
	}
}

// settingsFile is the host's settings in its data folder.
func settingsFile(data string) string { return filepath.Join(data, "settings.json") }

// defaultShim is the shim beside the program's folder, as in a checkout (.run/bin)
// or an installation (bin); "" where there is none.
func defaultShim() string {
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	for _, up := range []string{"..", "../.."} {
		dir := filepath.Join(filepath.Dir(exe), up, "shim")
		if _, err := os.Stat(filepath.Join(dir, "gate.mjs")); err == nil {
			return dir
		}
	}
	return ""
}

// defaultData follows the XDG base directory specification on Unix and the
// platform's own folder elsewhere.
func defaultData() string {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		if dir, err := os.UserConfigDir(); err == nil {
			return filepath.Join(dir, "Strata")
		}
		return ""
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "strata")
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, ".local", "share", "strata")
	}
	return ""
}
