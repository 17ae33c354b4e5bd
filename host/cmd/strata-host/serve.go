package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/agent"
	"strata.dev/bridge/host/internal/bridge"
	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/direct"
	"strata.dev/bridge/host/internal/events"
	"strata.dev/bridge/host/internal/httpapi"
	"strata.dev/bridge/host/internal/logx"
	"strata.dev/bridge/host/internal/parent"
	"strata.dev/bridge/host/internal/permissions"
	"strata.dev/bridge/host/internal/profile"
	"strata.dev/bridge/host/internal/redact"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/host/internal/tasks"
	"strata.dev/bridge/host/internal/tools"
	"strata.dev/bridge/proto/chat"
)

// closeLimit is how long tasks (4 s), runs (10 s at most), the Harness (5 s of its own) and open
// requests have to end after a signal.
const closeLimit = 20 * time.Second

func serveCommand() *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "serve", Short: "Run the Harness and serve its chats", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.resolve(); err != nil {
				return err
			}
			return serve(c.Context(), f, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f.add(c)
	return c
}

// serve runs the host until ctx ends, then ends all that it started.
func serve(ctx context.Context, f flags, stdout, stderr io.Writer) (err error) {
	hidden := hide() // before there is a key
	fixed, warnings, err := connections.FromFlags(f.model)
	if err != nil {
		return err
	}
	logs := filepath.Join(f.data, "logs")
	logFile := filepath.Join(logs, "host.log")
	if err := os.MkdirAll(logs, store.DirMode); err != nil {
		return say.Error(chat.CodeInternal, err.Error(), say.DataUnusable, "path", f.data)
	}
	lock, err := takeData(ctx, f.data)
	if errors.Is(err, store.ErrLocked) {
		return coded{exitInUse, inUse(f.data)}
	}
	if err != nil {
		return say.Error(chat.CodeInternal, err.Error(), say.DataUnusable, "path", f.data)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if err := lock.SetNote(note("", false)); err != nil { // in place of an earlier host's
		return say.Error(chat.CodeInternal, err.Error(), say.DataUnusable, "path", f.data)
	}
	if err := store.Sweep(f.data); err != nil {
		return say.Error(chat.CodeInternal, err.Error(), say.DataUnusable, "path", f.data)
	}
	token, warning, err := launchToken(f.tokenFile, f.data)
	if err != nil {
		return err
	}
	if warning != nil {
		warnings = append(warnings, *warning)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if f.parent != 0 {
		if err := parent.Watch(ctx, f.parent, stop); err != nil {
			return say.Error(chat.CodeBadRequest, err.Error(), say.FlagWrong, "flag", "--parent", "why", "there is no such process")
		}
	}
	redactor := redact.New(token)
	for _, c := range fixed {
		c.Key.Register(redactor)
	}

	log, closeLog, err := logx.New(logx.Options{
		Level: f.logLevel, File: logFile, Redact: redactor,
		Console: logx.Terminal(os.Stderr), ConsoleLevel: zap.WarnLevel,
	})
	if err != nil {
		return say.Error(chat.CodeBadRequest, err.Error(), say.DataUnusable, "path", f.data)
	}
	defer func() { err = errors.Join(err, closeLog()) }()
	for _, w := range warnings {
		fmt.Fprintln(stderr, w.Text)
	}
	if hidden != nil {
		log.Warn("other programs of this user can read the host's memory", zap.Error(hidden))
	}

	dir := filepath.Join(f.data, "agent")
	if err := agent.MakeDirs(dir); err != nil {
		return say.Error(chat.CodeInternal, err.Error(), say.DataUnusable, "path", f.data)
	}
	proxy, err := connections.Listen()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, proxy.Close()) }()
	registry, chosen, keys, err := openSaved(ctx, f, fixed, redactor, log)
	if err != nil {
		return err
	}
	tidyKeys(ctx, f.data, keys, registry, chosen, log)
	defer registry.Close()
	registry.Start(ctx)
	for _, c := range registry.List().Connections {
		if c.Origin == chat.FromFlags && !c.Ready {
			fmt.Fprintln(stderr, c.Text)
		}
	}
	all := registry.Connections()
	if err := proxy.SetConnections(all); err != nil {
		return err
	}
	settings := f.settings(all)
	f.choose(chosen.Choice(), &settings, redactor)
	runner := agent.New(f.agentOptions(dir, settings, proxy, redactor, log))
	chosen.OnChange(func(c tools.Choice) error {
		return runner.Change(func(s *agent.Settings) { f.choose(c, s, redactor) })
	})
	alone := direct.New(direct.Options{Connections: all, Redact: redactor.Text, Unreached: registry.Look})
	defer alone.Close()
	proxy.OnUnreached(registry.Look)
	registry.Follow(all, func(all []connections.Connection) {
		alone.SetConnections(all)
		if err := runner.Change(func(s *agent.Settings) { s.Connections, s.MaxHelpers = all, connections.MaxHelpers(all) }); err != nil {
			log.Warn("the agent does not take the changed model connections", zap.Error(err))
		}
	})
	chats, err := bridge.New(bridge.Options{
		Harness: runner, Direct: alone, Counter: alone, Dir: dir, Workspace: f.workspace, Preset: profile.Name, GoalsOff: f.noGoals, Log: log.Named("bridge"),
	})
	if errors.Is(err, bridge.ErrNewer) {
		return say.Error(chat.CodeInternal, err.Error(), say.DataNewer, "path", f.data)
	}
	if err != nil {
		return say.Error(chat.CodeInternal, err.Error(), say.DataUnusable, "path", f.data)
	}
	saved := permissions.Open(agent.GateStore(dir))
	hub := events.New(rand.Text())
	scheduler, err := tasks.Open(tasks.Options{
		Agent: chats, Decisions: saved, Dir: filepath.Join(f.data, "tasks"), Publish: hub.Publish, Local: time.Local,
		Redact: redactor.Text, Log: log.Named("tasks"),
	})
	if errors.Is(err, tasks.ErrNewer) {
		return say.Error(chat.CodeInternal, err.Error(), say.DataNewer, "path", f.data)
	}
	if err != nil {
		return say.Error(chat.CodeInternal, err.Error(), say.DataUnusable, "path", f.data)
	}
	listener, err := net.Listen("tcp", f.listen)
	if err != nil {
		return say.Error(chat.CodeInternal, err.Error(), say.PortTaken, "addr", f.listen)
	}
	url, hosts, err := address(f.listen, listener.Addr(), localAddresses())
	if err != nil {
		return err
	}
	if err := lock.SetNote(note(url, false)); err != nil { // for strata-host wire
		return say.Error(chat.CodeInternal, err.Error(), say.DataUnusable, "path", f.data)
	}
	server := httpapi.HTTPServer(httpapi.New(httpapi.Options{
		Agent: chats, Wire: runner, Permissions: saved, Tools: chosen, Tasks: scheduler, Models: registry, Events: hub, Token: token, Hosts: hosts, Log: log.Named("http"), Redact: redactor,
		DataDir: f.data, LogFile: logFile, About: newAbout(f.data).tell,
		Ready: func() bool { return ctx.Err() == nil && runner.Status().State == "ready" },
	}), log)

	scheduler.Start()
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	warm := make(chan struct{})
	if err := announce(stdout, f, url, token); err != nil {
		log.Warn("nobody reads where the host serves", zap.Error(err))
	}
	go func() {
		defer close(warm)
		runner.Warm(ctx)
		if s := runner.Status(); s.State != "ready" && ctx.Err() == nil {
			report(stderr, &chat.Error{Sentence: s.Sentence, Details: s.Detail})
		}
	}()
	log.Info("serving", zap.String("addr", listener.Addr().String()))

	select {
	case <-ctx.Done():
	case err = <-served:
	}
	// For the host that comes next: it waits for this one.
	if err := lock.SetNote(note(url, true)); err != nil {
		log.Warn("the lock does not tell that this host ends", zap.Error(err))
	}
	parting, closeErr := shut(server, scheduler, hub, chats, runner, warm)
	log.Info("closed", zap.Int("ended", parting.Ended), zap.Int("stopped", parting.Stopped), zap.Int("unsent", parting.Unsent), zap.Error(closeErr))
	if parting.Stopped+parting.Unsent > 0 {
		report(stderr, &chat.Error{Sentence: say.Sentence(say.ClosedWith, "stopped", strconv.Itoa(parting.Stopped), "unsent", strconv.Itoa(parting.Unsent))})
	}
	return errors.Join(err, closeErr)
}

// taskLimit is how long tasks have of closeLimit to be stopped in order; after it
// they end as the chats do.
const taskLimit = 4 * time.Second

// shut ends the tasks, then the chats' runs, each with a frame that says so, then what
// is below them.
func shut(server *http.Server, scheduler *tasks.Scheduler, hub *events.Hub, chats *bridge.Bridge, runner *agent.Agent, warm <-chan struct{}) (bridge.Parting, error) {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	short, enough := context.WithTimeout(ctx, taskLimit)
	defer enough()
	late := scheduler.Close(short)
	if errors.Is(late, context.DeadlineExceeded) {
		late = nil // what is left of them is a chat's run like any other
	}
	parting, err := chats.Close(ctx)
	hub.Close()
	err = errors.Join(late, err, runner.Close(ctx))
	<-warm // it has ended: its context has, or the runner is closed
	if e := server.Shutdown(ctx); e != nil {
		err = errors.Join(err, e, server.Close())
	}
	return parting, err
}
