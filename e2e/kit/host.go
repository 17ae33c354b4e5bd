package kit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"strata.dev/bridge/e2e/muxport"
	"strata.dev/bridge/e2e/scriptmodel"
)

// HostOptions says how the host is started.
type HostOptions struct {
	Harness string             // "" is HarnessDir()
	Model   *scriptmodel.Model // what answers the agent
	BaseURL string             // "" is Model's
	ModelID string             // "" is scripted-1
	Key     string             // the model server's key, handed over in a file; "" is "k"
	Args    []string           // further flags
	Env     []string           // further NAME=value pairs
	Listen  string             // "" is a free port
	Shim    string             // "" is Shim()
	// Services are origins that stand for those of search services, by service.
	Services map[string]string
	// Wire makes the pinned Harness speak remote.mux; nil leaves it its own wire.
	Wire *muxport.Options
	// NoModel leaves the model out of the command line: connections are added later.
	NoModel bool
}

// Host is a host process whose page can be reached.
type Host struct {
	*Process
	Client
}

// StartHost starts the host on a Harness and waits for the line with its URL;
// the test fails where it does not come.
func StartHost(ctx context.Context, t testing.TB, home *Home, o HostOptions) *Host {
	t.Helper()
	p := LaunchHost(t, home, o)
	client, err := AwaitHost(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	return &Host{Process: p, Client: client}
}

// LaunchHost starts the host and does not wait. A second host on the same Home
// is what a restart is. The host speaks the events.mux wire unless o.Wire says otherwise.
func LaunchHost(t testing.TB, home *Home, o HostOptions) *Process {
	t.Helper()
	if o.Harness == "" {
		Needs(t, EventsMux)
	}
	if o.Wire != nil {
		o.Harness = RemoteMux(t, home, *o.Wire)
	}
	or := func(s, def string) string {
		if s == "" {
			return def
		}
		return s
	}
	key := filepath.Join(home.Dir, "model.key")
	if err := os.WriteFile(key, []byte(or(o.Key, "k")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	shim := o.Shim
	if shim == "" {
		shim = Shim(t)
	}
	env := slices.Clone(o.Env)
	for service, origin := range o.Services {
		env = append(env, "STRATA_PRETEND_"+strings.ToUpper(service)+"="+origin)
	}
	binary := HostBinary(t)
	if len(o.Services) > 0 {
		binary = PretendHostBinary(t)
	}
	args := []string{"serve", "--harness", or(o.Harness, HarnessDir()), "--node", Node(t), "--shim", shim,
		"--data", home.Data, "--workspace", home.Workspace, "--keys", "file", "--listen", or(o.Listen, "127.0.0.1:0")}
	if !o.NoModel {
		base := o.BaseURL
		if base == "" {
			base = o.Model.URL()
		}
		args = append(args, "--base-url", base, "--model", or(o.ModelID, "scripted-1"), "--key-file", key, "--images=false",
			"--context-window", "262144") // scriptmodel.Config.Window
	}
	return StartProcess(t, home, Command{
		Name: "host", Path: binary, Args: append(args, o.Args...), Dir: home.Dir,
		Env: Environ(t, home, []string{"bwrap"}, env...),
	})
}

var hostURL = regexp.MustCompile(`(http://[^\s/]+)/#token=(\S+)`)

// AwaitHost waits for the line with the URL of the page.
func AwaitHost(ctx context.Context, p *Process) (Client, error) {
	line, err := p.WaitLine(ctx, hostURL.MatchString)
	if err != nil {
		return Client{}, fmt.Errorf("starting the host: %w", err)
	}
	m := hostURL.FindStringSubmatch(line)
	return Client{URL: m[1], Token: m[2]}, nil
}
