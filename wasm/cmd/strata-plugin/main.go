// Command strata-plugin runs plugins outside the Harness, under wazero: `call`
// runs one op over JSON lines, `inspect` shows what a module holds.
//
//	go run ./wasm/cmd/strata-plugin call --plugin gate --op decide < calls.jsonl
//	go run ./wasm/cmd/strata-plugin inspect
//
// Exit code 0: all went well. 1: a line could not be answered, or nothing could
// be run at all (one sentence on stderr says why).
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func main() { os.Exit(run()) }

// errLines ends a command whose output already holds the errors.
var errLines = errors.New("some lines could not be answered")

// plain is an error that a person reads as it stands: whole sentences, with a next step.
type plain string

func (p plain) Error() string { return string(p) }

// say makes a plain error; its text follows fmt.Sprintf.
func say(format string, args ...any) error { return plain(fmt.Sprintf(format, args...)) }

func run() int {
	root := &cobra.Command{
		Use:           "strata-plugin",
		Short:         "Run Strata plugins outside the Harness",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(callCommand(), inspectCommand())
	err := root.Execute()
	if err == nil {
		return 0
	}
	if !errors.Is(err, errLines) {
		fmt.Fprintln(os.Stderr, err)
	}
	return 1
}
