// Command strata-host runs the Harness and serves its chats (host/docs).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// Exit codes.
const (
	exitFailed = 1 // something went wrong while running
	exitUsage  = 2 // flags that cannot be used
	exitInUse  = 3 // another host holds the data folder
)

// coded is an error with its exit code.
type coded struct {
	code int
	err  error
}

func (c coded) Error() string { return c.err.Error() }
func (c coded) Unwrap() error { return c.err }

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first signal ends ctx; the second has its usual effect again.
	closing, said := say.Translate(language(os.Getenv), say.Closing, nil), make(chan struct{})
	unsaid := context.AfterFunc(ctx, func() {
		defer close(said)
		stop()
		fmt.Fprintln(stderr, closing)
	})
	root := &cobra.Command{
		Use: "strata-host", Short: "Chats with the DeepSeek Harness, with an approval for every change",
		SilenceUsage: true, SilenceErrors: true,
	}
	root.AddCommand(serveCommand(), modelsCommand(), searchCommand(), serversCommand(), profileCommand(), tasksCommand(), wireCommand(), versionCommand())
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if !unsaid() {
		<-said // not cut off by the exit
	}
	if err == nil {
		return 0
	}
	report(stderr, err)
	var c coded
	var refused *chat.Error
	switch {
	case errors.As(err, &c):
		return c.code
	case errors.As(err, &refused) && refused.Code == chat.CodeBadRequest:
		return exitUsage
	case errors.As(err, &refused):
		return exitFailed
	}
	return exitUsage // cobra's own: an unknown flag or command
}

// report prints the sentence in the terminal's language, and the technical text
// below it.
func report(w io.Writer, err error) {
	var refused *chat.Error
	if !errors.As(err, &refused) {
		fmt.Fprintln(w, err)
		return
	}
	tag, text := language(os.Getenv), refused.Text
	if refused.Key != "" {
		text = say.Translate(tag, refused.Key, refused.Args)
	}
	fmt.Fprintln(w, text)
	if refused.Details != "" {
		fmt.Fprintln(w, say.Translate(tag, say.DetailsAre, map[string]string{"text": refused.Details}))
	}
}
