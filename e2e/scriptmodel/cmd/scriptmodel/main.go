// Command scriptmodel serves the scripted and demo model on loopback until it is
// interrupted. Its one line on stdout is the base URL for an OpenAI client.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"strata.dev/bridge/e2e/scriptmodel"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	flags := flag.NewFlagSet("scriptmodel", flag.ContinueOnError)
	addr := flags.String("listen", "127.0.0.1:0", "address to listen on")
	key := flags.String("key-file", "", "file with the key that clients must send; without it any key will do")
	window := flags.Int("window", 0, "tokens of the context window; 0 is 262144")
	refuse := flags.Bool("refuse", false, "refuse a prompt that is larger than the window")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	config := scriptmodel.Config{Addr: *addr, Window: *window, Refuse: *refuse}
	if *key != "" {
		data, err := os.ReadFile(*key)
		if err != nil {
			fmt.Fprintln(os.Stderr, "The key file cannot be read:", err)
			return 1
		}
		config.Key = strings.TrimSpace(string(data))
	}
	// Before the URL is printed: whoever reads it may interrupt at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	m, err := scriptmodel.Start(config)
	if err != nil {
		fmt.Fprintln(os.Stderr, "The model cannot start:", err)
		return 1
	}
	fmt.Println(m.URL())
	<-ctx.Done()
	if err := m.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "The model did not stop cleanly:", err)
		return 1
	}
	return 0
}
