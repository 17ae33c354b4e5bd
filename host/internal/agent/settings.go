package agent

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/harness"
	"strata.dev/bridge/host/internal/logx"
	"strata.dev/bridge/host/internal/profile"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// Settings are what of an Agent may change while it runs.
type Settings struct {
	// Connections are the model servers; the first model of the first one is the default.
	Connections []connections.Connection
	Off         []string    // as profile.Settings.Off
	MaxHelpers  int         // as profile.Settings.MaxHelpers
	Web         profile.Web // as profile.Plugins.Web
	Search      connections.Search
	Servers     []connections.Server // MCP servers of the person's own
}

// composition says which settings an Agent's process was started from, and holds it
// until no turn needs it any more. Its fields are guarded by Agent.mu.
type composition struct {
	settings Settings
	changes  int           // how often the settings changed
	wanted   string        // signature of the settings
	started  string        // of what the newest process was started from; "" before the first
	from     Settings      // those
	waiting  int           // turns that wait for a restart
	good     string        // of the newest that was ready
	turns    int           // that hold the process
	renewing bool          // a restart for new settings is under way
	changed  chan struct{} // closed, and another one made, when it may be stale no more
}

// wake has those look again who wait until it is not stale.
func (c *composition) wake() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// Configure replaces the settings. Where they compose another agent than the one that
// runs, the Harness is started again once no turn runs, and turns that begin until then
// wait for that (Hold), but for those that new connections do not concern. Where they do not, they hold at once. Settings that cannot be
// used change nothing and are an error; that no Harness is installed is none as long as
// none was started.
func (a *Agent) Configure(s Settings) error {
	a.changing.Lock()
	defer a.changing.Unlock()
	return a.configure(s)
}

func (a *Agent) configure(s Settings) error {
	files, err := a.compose(s)
	a.mu.Lock()
	defer a.mu.Unlock()
	c := &a.composition
	var missing *harness.Error
	if err != nil && (c.started != "" || !errors.As(err, &missing)) {
		return err
	}
	c.changes++
	c.settings, c.wanted = s, files.Signature()
	if !c.stale() { // or a running turn may need what is gone
		return a.serve(s)
	}
	a.o.Log.Info("the Harness will be started again for new settings", zap.Int("turns", c.turns), zap.String(logx.KeyPart, "agent"))
	a.renewIfDue()
	return nil
}

// Change replaces a part of the settings; what change leaves alone stays, whoever set it.
// It is Configure otherwise.
func (a *Agent) Change(change func(*Settings)) error {
	a.changing.Lock()
	defer a.changing.Unlock()
	a.mu.Lock()
	s := a.composition.settings
	a.mu.Unlock()
	change(&s)
	return a.configure(s)
}

// serve has the key proxy serve the settings' connections and search service.
func (a *Agent) serve(s Settings) error {
	if a.o.Proxy == nil { // a test's
		return nil
	}
	if err := a.o.Proxy.SetSearch(s.Search); err != nil {
		return err
	}
	a.o.Proxy.SetServers(s.Servers)
	return a.o.Proxy.SetConnections(s.Connections)
}

// Compose makes the files that a start would write, for the component as it is now.
// Errors are *chat.Error.
func (a *Agent) Compose() (harness.Component, profile.Files, error) {
	component, err := harness.Locate(a.o.Getenv, a.o.Harness)
	if err != nil {
		return harness.Component{}, nil, a.sentence(err)
	}
	a.mu.Lock()
	s := a.composition.settings
	a.mu.Unlock()
	files, _, err := a.profile(component, s)
	if err != nil {
		return harness.Component{}, nil, a.sentence(err)
	}
	return component, files, nil
}

// composeFiles makes the profile of settings for the component as it is now.
func (a *Agent) composeFiles(s Settings) (profile.Files, error) {
	component, err := harness.Locate(a.o.Getenv, a.o.Harness)
	if err != nil {
		return nil, err
	}
	files, _, err := a.profile(component, s)
	return files, err
}

// begin gives the settings that a process is to be started from; compose makes its
// files of them.
func (a *Agent) begin(compose func(Settings) (profile.Files, error)) (profile.Files, error) {
	a.mu.Lock()
	s, changes := a.composition.settings, a.composition.changes
	a.mu.Unlock()
	files, err := compose(s)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	c := &a.composition
	c.started, c.from = files.Signature(), s
	if c.changes == changes { // also where the component itself has changed
		c.wanted = c.started
	}
	c.wake()
	return files, a.serve(s)
}

// ready notes that the process which was begun last is ready.
func (a *Agent) ready() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.composition.good = a.composition.started
}

// stale tells whether a process is, or may be, another one than the settings ask for.
func (c *composition) stale() bool {
	return c.renewing || c.started != "" && c.started != c.wanted
}

// Hold implements bridge.Harness.
func (a *Agent) Hold(ctx context.Context, route string, waiting func()) (release func(), err error) {
	for told := false; ; {
		a.mu.Lock()
		c := &a.composition
		switch {
		case !c.stale(), c.unaffected(route):
			c.turns++
			a.mu.Unlock()
			return sync.OnceFunc(a.release), nil
		case c.gone(route):
			a.mu.Unlock()
			return nil, say.Error(chat.CodeModelUnavailable, "", say.ModelUnavailable, "model", route)
		}
		a.renewIfDue()
		changed := c.changed
		c.waiting++
		a.mu.Unlock()
		if !told {
			told = true
			waiting()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			err = ctx.Err()
		}
		a.mu.Lock()
		c.waiting--
		a.mu.Unlock()
		if err != nil {
			return nil, err
		}
	}
}

// unaffected tells whether a turn on a route may begin before the restart that is due: it
// is due for other connections alone, which nobody asks for yet, and waits for running
// turns anyway.
func (c *composition) unaffected(route string) bool {
	if c.renewing || c.turns == 0 || c.waiting > 0 {
		return false
	}
	from, now := c.from, c.settings
	was, wasModel, there := find(from.Connections, route)
	is, isModel, still := find(now.Connections, route)
	from.Connections, now.Connections, from.MaxHelpers, now.MaxHelpers = nil, nil, 0, 0
	was.Models, is.Models = nil, nil
	return there && still && reflect.DeepEqual(was, is) && reflect.DeepEqual(wasModel, isModel) && reflect.DeepEqual(from, now)
}

// gone tells whether the process has a route yet that the settings have no more.
func (c *composition) gone(route string) bool {
	_, _, there := find(c.from.Connections, route)
	_, _, still := find(c.settings.Connections, route)
	return there && !still
}

// find gives a route's connection and model.
func find(all []connections.Connection, route string) (connections.Connection, connections.Model, bool) {
	provider, id, _ := connections.SplitRoute(route)
	for _, c := range all {
		for _, m := range c.Models {
			if c.ID == provider && m.ID == id {
				return c, m, true
			}
		}
	}
	return connections.Connection{}, connections.Model{}, false
}

func (a *Agent) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.composition.turns--
	a.renewIfDue()
}

// renewIfDue begins a restart for new settings where no turn runs. The lock is held.
func (a *Agent) renewIfDue() {
	c := &a.composition
	if a.closed || c.renewing || c.turns > 0 || !c.stale() {
		return
	}
	c.renewing = true
	a.tasks.Go(a.renew)
}

// renew starts the Harness again. What goes wrong the next message is told, which has
// it tried again.
func (a *Agent) renew() {
	a.ensure <- struct{}{} // so that nobody connects meanwhile
	_, err := a.keeper.Restart(context.Background())
	<-a.ensure
	if err != nil {
		a.o.Log.Warn("the Harness was not started again for new settings", zap.Error(err), zap.String(logx.KeyPart, "agent"))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	c := &a.composition
	c.renewing = false
	if err != nil {
		c.started = "" // nothing runs that was started from earlier ones
	}
	c.wake()
	a.renewIfDue() // they may have changed again
}

// unsettled says of a failed start that it is the first one with new settings.
func (a *Agent) unsettled(e *chat.Error) *chat.Error {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := &a.composition
	if c.good == "" || c.good == c.wanted || e.Code != chat.CodeAgentUnavailable {
		return e
	}
	return say.Error(e.Code, fmt.Sprintf("%s\n%s", e.Text, e.Details), say.SettingsFailed)
}

// routes are the models of the settings.
func (a *Agent) routes() []chat.Route {
	a.mu.Lock()
	defer a.mu.Unlock()
	return connections.Routes(slices.Clone(a.composition.settings.Connections))
}
