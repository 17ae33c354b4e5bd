// Command strata-demo is what make run starts: the host on the real Harness, with
// a model of its own when no endpoint is named, until it is interrupted.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"strata.dev/bridge/e2e/scriptmodel"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options are the flags; all but the first six may be left out.
type options struct {
	host, harness, node, shim, data, workspace     string
	keyFile, baseURL, model, window, slots, listen string
	seed                                           bool
}

// Exit codes beside the host's own.
const (
	exitStopped = 0 // interrupted, and all was stopped
	exitFailed  = 1
	exitUsage   = 2
)

func run(args []string, stdout, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("strata-demo", flag.ContinueOnError)
	flags.SetOutput(stderr)
	for name, f := range map[string]struct {
		to    *string
		usage string
	}{
		"host":           {&o.host, "the program strata-host"},
		"harness":        {&o.harness, "folder of the Harness"},
		"node":           {&o.node, "the Node that runs it"},
		"shim":           {&o.shim, "folder of the shim"},
		"data":           {&o.data, "folder for what the host keeps"},
		"workspace":      {&o.workspace, "folder that the agent works in"},
		"key-file":       {&o.keyFile, "file with the key of the endpoint"},
		"context-window": {&o.window, "how many tokens the model takes at once"},
		"base-url":       {&o.baseURL, "an OpenAI-compatible endpoint; without it the demo model answers"},
		"model":          {&o.model, "the endpoint's model"},
		"listen":         {&o.listen, "address of the chat page"},
	} {
		flags.StringVar(f.to, name, "", f.usage)
	}
	flags.BoolVar(&o.seed, "seed", false, "put a few files to try things on into the workspace if it is empty")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return exitStopped
	} else if err != nil {
		return exitUsage
	}
	if why := o.wrong(flags.Args()); why != "" {
		fmt.Fprintln(stderr, why)
		return exitUsage
	}
	for _, path := range []*string{&o.keyFile, &o.data, &o.workspace} {
		*path = expandHome(*path)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends us at once, and the host with us
	return demo(ctx, o, stdout, stderr)
}

// wrong says in one sentence what is the matter with the flags, or "".
func (o options) wrong(rest []string) string {
	switch {
	case len(rest) > 0:
		return fmt.Sprintf("%q is no flag; see --help.", rest[0])
	case o.host == "" || o.harness == "" || o.node == "" || o.shim == "" || o.data == "" || o.workspace == "":
		return "Name --host, --harness, --node, --shim, --data and --workspace; make run does."
	case o.baseURL == "" && (o.keyFile != "" || o.model != ""):
		return "A key or a model needs an endpoint too: make run KEY_FILE=… BASE_URL=… MODEL=… CONTEXT_WINDOW=…"
	case o.baseURL != "" && o.model == "":
		return "Name the endpoint's model too: make run KEY_FILE=… BASE_URL=… MODEL=… CONTEXT_WINDOW=…"
	}
	return ""
}

// expandHome gives a path that begins with ~/ as the shell would have: not every
// shell does so within KEY_FILE=~/key.
func expandHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	home, err := os.UserHomeDir()
	if !ok || err != nil {
		return path
	}
	return filepath.Join(home, rest)
}

// demo prepares what the host needs, runs it, and gives the exit code.
func demo(ctx context.Context, o options, stdout, stderr io.Writer) int {
	failed := func(sentence string, err error) int {
		fmt.Fprintf(stderr, "%s (%v)\n", sentence, err)
		return exitFailed
	}
	seeded := false
	if o.seed { // a folder that the person named is theirs: the host says what is wrong with it
		var err error
		if seeded, err = seed(o.workspace); err != nil {
			return failed("The workspace cannot be used. Name another one with WORKSPACE=…", err)
		}
	}
	fmt.Fprintf(stdout, "Strata: chat with an agent that works in %s.\n", o.workspace)
	if seeded {
		fmt.Fprintln(stdout, "The folder was empty; a few files to try things on are in it now.")
	}
	demoModel := o.baseURL == ""
	if demoModel {
		m, err := scriptmodel.Start(scriptmodel.Config{Models: []string{modelID}})
		if err != nil {
			return failed("The demo model cannot start.", err)
		}
		defer m.Close()
		o.baseURL, o.model, o.window, o.slots = m.URL(), modelID, "262144", "4" // scriptmodel.Config.Window; slots without end
		fmt.Fprintln(stdout, "The demo model answers: a small program, no AI. A real one: make run KEY_FILE=… BASE_URL=… MODEL=… CONTEXT_WINDOW=…")
	}
	fmt.Fprintln(stdout, "Starting …")
	code, err := serve(ctx, o, func(line string) {
		fmt.Fprintln(stdout, line)
		if !pageURL.MatchString(line) {
			return
		}
		if demoModel {
			fmt.Fprintln(stdout, "Open that address in a browser and try: list the files here · what is in README · write hello.txt with the text good morning")
		} else {
			fmt.Fprintln(stdout, "Open that address in a browser.")
		}
		fmt.Fprintln(stdout, "Ctrl-C stops everything.")
	}, stderr)
	if err != nil {
		return failed("The host cannot be started. Run make build, then try again.", err)
	}
	return code
}

// modelID is what the demo model is called in the page.
const modelID = "demo"
