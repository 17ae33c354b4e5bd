package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience is how long a condition may take to come true before a test fails.
const patience = 30 * time.Second

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"strata-host": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere") // not the keyring of who tests
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"serving": serving, "ask": ask, "mode": mode, "pid": pid, "standin": standin, "task": task, "provider": provider, "local-server": localServer, "unpack": unpack},
	})
}

// servingAt reads the address in the "serving" line of data's log, or "" while it is not there.
func servingAt(data string) string {
	f, err := os.Open(filepath.Join(data, "logs", "host.log"))
	if err != nil {
		return ""
	}
	defer f.Close()
	addr := ""
	for s := bufio.NewScanner(f); s.Scan(); {
		var l struct{ Msg, Addr string }
		if json.Unmarshal(s.Bytes(), &l) == nil && l.Msg == "serving" {
			addr = l.Addr
		}
	}
	return addr
}

// serving waits until the host of a data folder serves.
func serving(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: serving data")
	}
	end := time.Now().Add(patience)
	for servingAt(ts.MkAbs(args[0])) == "" {
		if time.Now().After(end) {
			ts.Fatalf("the host does not serve")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// ask gets a path of a host and looks for what its answer holds; it asks again
// until it does. The token is the data folder's, or the one in the given file.
func ask(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: ask data path want [token file]")
	}
	tokenFile := filepath.Join(ts.MkAbs(args[0]), "token")
	if len(args) > 3 {
		tokenFile = ts.MkAbs(args[3])
	}
	got := ""
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		// Both anew each time: the newest are those of the host that runs now.
		token, err := os.ReadFile(tokenFile)
		ts.Check(err)
		addr := strings.Replace(servingAt(ts.MkAbs(args[0])), "[::]", "127.0.0.1", 1)
		req, err := http.NewRequest("GET", "http://"+addr+args[1], nil)
		ts.Check(err)
		req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			got = err.Error()
			continue
		}
		b, err := io.ReadAll(res.Body)
		res.Body.Close()
		ts.Check(err)
		if got = res.Status + " " + string(b); strings.Contains(got, args[2]) {
			return
		}
	}
	ts.Fatalf("%s answers %s, want %q in it", args[1], got, args[2])
}

// pid puts the number of a program that runs in the background into a variable.
func pid(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: pid program variable")
	}
	for _, cmd := range ts.BackgroundCmds() {
		if filepath.Base(cmd.Path) == args[0] {
			ts.Setenv(args[1], strconv.Itoa(cmd.Process.Pid))
			return
		}
	}
	ts.Fatalf("no %s runs", args[0])
}

// mode compares a file's permissions.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mode file permissions")
	}
	i, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if got := i.Mode().Perm().String(); got != args[1] {
		ts.Fatalf("%s is %s, want %s", args[0], got, args[1])
	}
}

// task puts the id of the task whose line in a list holds a word into a variable.
func task(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: task list word variable")
	}
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if fields := strings.Fields(line); strings.Contains(line, args[1]) {
			ts.Setenv(args[2], fields[0])
			return
		}
	}
	ts.Fatalf("no task %s", args[1])
}
