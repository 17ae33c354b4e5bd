package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/proto/chat"
)

// What make run starts, on the real host and Harness: the address is printed, the
// first thing a person may try works, and the end is clean.
func TestRealHost(t *testing.T) {
	ctx := kit.Context(t)
	home := kit.NewHome(t)
	running, interrupt := context.WithCancel(ctx)
	defer interrupt()
	lines, code := make(chan string, 1), make(chan int, 1)
	o := options{
		host: kit.HostBinary(t), harness: kit.HarnessDir(), node: kit.Node(t), shim: kit.Shim(t),
		data: filepath.Join(home.Data, "new"), workspace: home.Workspace, listen: "127.0.0.1:0", seed: true,
	}
	go func() { code <- demo(running, o, &urlFinder{found: lines}, t.Output()) }()
	var client kit.Client
	select {
	case line := <-lines:
		client.URL, client.Token, _ = strings.Cut(pageURL.FindString(line), "/#token=")
	case c := <-code:
		t.Fatalf("it ended with %d", c)
	case <-ctx.Done():
		t.Fatal("no address was printed")
	}
	run, err := client.NewChat().Send(ctx, "list the files here")
	if err != nil {
		t.Fatal(err)
	}
	frames, err := run.End(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("There are 4 things here: README.md, greet.sh, notes and test.sh.", kit.Text(frames)); diff != "" {
		t.Errorf("the answer (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"bash: running done"}, kit.States(frames)); diff != "" {
		t.Errorf("the card (-want +got):\n%s", diff)
	}
	if last := frames[len(frames)-1]; last.Type != chat.Done {
		t.Errorf("the last frame is %s", last.Type)
	}
	interrupt()
	if c := <-code; c != exitStopped {
		t.Errorf("exit code %d", c)
	}
}

// urlFinder gives the line with the page's address.
type urlFinder struct {
	found chan string
	seen  bytes.Buffer
}

func (u *urlFinder) Write(p []byte) (int, error) {
	u.seen.Write(p)
	if line := pageURL.FindString(u.seen.String()); line != "" && len(u.found) == 0 {
		u.found <- line
		u.seen.Reset()
	}
	return len(p), nil
}
