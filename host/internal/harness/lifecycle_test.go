//go:build linux

package harness_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"strata.dev/bridge/host/internal/harness"
	"strata.dev/bridge/host/internal/harness/harnesstest"
)

const asHost = "HARNESS_TEST_HOST" // JSON of a hostConfig

// hostConfig is what another host is told.
type hostConfig struct {
	Component harness.Component
	Node      harness.Node
	Home      string
}

// TestMain lets the test binary be another host, which is killed.
func TestMain(m *testing.M) {
	text := os.Getenv(asHost)
	if text == "" {
		goleak.VerifyTestMain(m)
		return
	}
	var told hostConfig
	p, err := (*harness.Process)(nil), json.Unmarshal([]byte(text), &told)
	if err == nil {
		p, err = harness.Start(context.Background(), harness.Config{
			Component: told.Component, Node: told.Node, Home: told.Home, Profile: "strata", RouteKey: "k",
		})
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Println(p.PID(), p.URL(), p.Secret())
	_, _ = io.Copy(io.Discard, os.Stdin) // until killed
}

// model answers every chat with one call of bash that writes its process number
// into the workspace's file "tool" and then sleeps.
func model(t *testing.T) string {
	t.Helper()
	const command = `echo $$ > tool.new; mv tool.new tool; trap "" TERM; while :; do sleep 1; done`
	arguments, err := json.Marshal(map[string]string{"command": command, "description": "sleep"})
	if err != nil {
		t.Fatal(err)
	}
	call, err := json.Marshal(map[string]any{"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
		"choices": []any{map[string]any{"index": 0, "finish_reason": "tool_calls", "delta": map[string]any{"role": "assistant",
			"tool_calls": []any{map[string]any{"index": 0, "id": "call_1", "type": "function",
				"function": map[string]string{"name": "bash", "arguments": string(arguments)}}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", call)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// runTool has a new session of p run the endless tool and gives its process.
func runTool(t *testing.T, p rpc) int {
	t.Helper()
	workspace := harnesstest.Dir(t)
	var session struct{ SessionID string }
	p.call(t, "session.create", map[string]any{"cwd": workspace}, &session)
	p.call(t, "session.prompt", map[string]any{"sessionId": session.SessionID, "mode": "queue",
		"content": []any{map[string]string{"type": "text", "text": "sleep"}}}, nil)
	var pid int
	harnesstest.Until(t, "the tool runs", func() bool {
		data, err := os.ReadFile(filepath.Join(workspace, "tool"))
		if err != nil {
			return false
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(data)))
		return err == nil
	})
	return pid
}

// rpc is where a Harness is reached, whoever started it.
type rpc struct{ url, secret string }

func (r rpc) call(t *testing.T, method string, payload, value any) {
	t.Helper()
	harnesstest.CallURL(t, r.url, r.secret, method, payload, value)
}

// bystander is a process that must outlive every clean-up: it has a marker too,
// but another one.
func bystander(t *testing.T) int {
	t.Helper()
	cmd := exec.Command(lookPath(t, "sleep"), "600")
	cmd.Env = []string{harness.EnvMarker + "=00000000000000000000000000000000"}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Errorf("the bystander is gone: %v", err)
		}
		_ = cmd.Wait()
	})
	return cmd.Process.Pid
}

func TestStopEndsARunningTool(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	harnesstest.Plain(t, cfg.Home, model(t), "")
	p := start(t, cfg)
	tool := runTool(t, rpc{p.URL(), p.Secret()})
	if err := p.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p.Exit() != "exit status 0" {
		t.Errorf("it ended with %q", p.Exit())
	}
	wantGone(t, tool)
}

func TestKilledHarnessLeavesNoTools(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	harnesstest.Plain(t, cfg.Home, model(t), "")
	p := start(t, cfg)
	tool, other := runTool(t, rpc{p.URL(), p.Secret()}), bystander(t)
	if err := syscall.Kill(p.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.Done():
	case <-t.Context().Done():
		t.Fatal(t.Context().Err())
	}
	wantGone(t, tool)
	wantThere(t, other)
	var e *harness.Error
	if !errors.As(p.Err(), &e) || e.Kind != harness.KindDied || !strings.Contains(e.Details, "signal: killed") {
		t.Errorf("Err: %v", p.Err())
	}
	next := start(t, cfg)
	if next.Secret() == p.Secret() {
		t.Error("the launch secret is an old one")
	}
}

func TestStopKillsAStoppedHarness(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	harnesstest.Plain(t, cfg.Home, model(t), "")
	p := start(t, cfg)
	tool := runTool(t, rpc{p.URL(), p.Secret()})
	if err := syscall.Kill(p.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // no grace
	if err := p.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if p.Exit() != "signal: killed" {
		t.Errorf("it ended with %q", p.Exit())
	}
	wantGone(t, tool)
}

func TestKeeperStartsAgainAfterACrash(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	harnesstest.Plain(t, cfg.Home, "", "")
	k := harness.NewKeeper(func(ctx context.Context) (*harness.Process, error) { return harness.Start(ctx, cfg) })
	first, err := k.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	signal(t, first.PID(), syscall.SIGKILL)
	<-first.Done()
	harnesstest.Until(t, "the Keeper has seen it", func() bool { return k.Current() == nil })
	second, err := k.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	third, err := k.Restart(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pids := map[int]bool{first.PID(): true, second.PID(): true, third.PID(): true}
	if len(pids) != 3 || second.Exit() != "exit status 0" || k.Current() != third {
		t.Errorf("processes %v, the second ended with %q", pids, second.Exit())
	}
	if err := k.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if third.Exit() != "exit status 0" {
		t.Errorf("Close ended it with %q", third.Exit())
	}
}

func TestOneHarnessPerHome(t *testing.T) {
	cfg := config(t)
	harnesstest.Plain(t, cfg.Home, "", "")
	p := start(t, cfg)
	_, err := harness.Start(t.Context(), cfg)
	var e *harness.Error
	if !errors.As(err, &e) || e.Kind != harness.KindInUse || e.Sentence.Text == "" {
		t.Errorf("second start: %v", err)
	}
	wantThere(t, p.PID())
}

// TestLeftoverOfADeadHost kills a host in every way that leaves something behind.
func TestLeftoverOfADeadHost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		kill func(t *testing.T, host, dsh int)
	}{
		{"the Harness was stopped, so that it could not end", func(t *testing.T, host, dsh int) {
			signal(t, dsh, syscall.SIGSTOP)
			signal(t, host, syscall.SIGKILL)
		}},
		{"the Harness was killed too, its tool lives", func(t *testing.T, host, dsh int) {
			signal(t, host, syscall.SIGSTOP) // it must not clean up
			signal(t, dsh, syscall.SIGKILL)
			signal(t, host, syscall.SIGKILL)
		}},
		{"the Harness ends by the kernel's signal", func(t *testing.T, host, dsh int) {
			signal(t, host, syscall.SIGKILL)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := config(t)
			harnesstest.Plain(t, cfg.Home, model(t), "")
			host := otherHost(t, cfg)
			tool, other := runTool(t, host.rpc), bystander(t)
			tt.kill(t, host.cmd.Process.Pid, host.dsh)
			_ = host.cmd.Wait()
			next := start(t, cfg)
			wantGone(t, host.dsh)
			wantGone(t, tool)
			wantThere(t, other)
			harnesstest.Call(t, next, "host.describe", map[string]any{}, nil)
		})
	}
}

type killable struct {
	cmd *exec.Cmd
	rpc
	dsh int
}

// otherHost runs this test binary as a host and gives its ready Harness.
func otherHost(t *testing.T, cfg harness.Config) killable {
	t.Helper()
	text, err := json.Marshal(hostConfig{cfg.Component, cfg.Node, cfg.Home})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asHost+"="+string(text))
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stdin.Close() })
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	k := killable{cmd: cmd}
	if _, scanErr := fmt.Sscan(line, &k.dsh, &k.url, &k.secret); err != nil || scanErr != nil {
		t.Fatalf("the other host said %q, %v\n%s", line, errors.Join(err, scanErr), stderr.String())
	}
	return k
}

func signal(t *testing.T, pid int, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, sig); err != nil {
		t.Fatalf("signal %v to %d: %v", sig, pid, err)
	}
}

// alive tells whether pid is a process that is not a zombie.
func alive(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}

func wantGone(t *testing.T, pid int) {
	t.Helper()
	if alive(pid) {
		t.Errorf("process %d is still there", pid)
	}
}

func wantThere(t *testing.T, pid int) {
	t.Helper()
	if !alive(pid) {
		t.Errorf("process %d is gone", pid)
	}
}
