package conformance

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/abi"
)

// startNative starts the plugins as native code behind the wire.
func startNative(t testing.TB) Host {
	t.Helper()
	command := filepath.Join(t.TempDir(), "native")
	build := exec.Command("go", "build", "-o", command, "./cmd/native")
	build.Dir = "../../plugins"
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the native driver: %v\n%s", err, said)
	}
	return startProcess(t, exec.Command(command))
}

func TestNative(t *testing.T) {
	t.Parallel()
	host := startNative(t)
	runGate(t, host)
	runContext(t, host)
	runCases(t, host, "cases/models*.txtar")
	runSearch(t, host, 5)
}

// FuzzGateNativeIsWasm puts the same call before the gate as native code, as
// WebAssembly under wazero and as WebAssembly in the shim: all that comes of
// facts, decide and explain must be the same bytes.
func FuzzGateNativeIsWasm(f *testing.F) {
	for i, head := range golden(f, "calls") {
		var call abi.GateCall
		if err := json.Unmarshal([]byte(head), &call); err != nil {
			f.Fatal(err)
		}
		var arguments struct{ Command string }
		if json.Unmarshal(call.Arguments, &arguments) == nil && arguments.Command != "" {
			f.Add(uint8(i), arguments.Command)
		} else {
			f.Add(wholeHead, head)
		}
	}
	hosts := everywhere(f, `{"do":"open","instance":"gate","plugin":"gate","scripted":["store.list","store.get","fs.realpath"]}`)
	f.Fuzz(func(t *testing.T, kind uint8, text string) {
		head := headOf(kind, strings.ToValidUTF8(text, "\uFFFD"))
		for _, op := range []string{"facts", "decide", "explain"} {
			var want []Event
			for i, h := range hosts {
				got := converse(t, h.Host, Command{Do: "call", Instance: "gate", Call: "c", Op: op, Head: head})
				if i == 0 {
					want = got
				} else if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s of %s: %s and %s differ (-%[3]s +%[4]s):\n%s", op, head, hosts[0].name, h.name, diff)
				}
			}
		}
	})
}

// wholeHead is the kind of input that is a head as it stands.
const wholeHead uint8 = 0

// headOf is a call with a text as its command; kind picks what else it is.
func headOf(kind uint8, text string) string {
	if kind == wholeHead {
		return text
	}
	pick := func(of ...string) string {
		one := of[int(kind)%len(of)]
		kind /= uint8(len(of))
		return one
	}
	call := abi.GateCall{
		Tool: pick("bash", "pwsh", "bash", "cmd"), Mode: abi.Mode(pick("manual", "plan", "bypass", "")), Platform: pick("linux", "win32"),
		CWD: "/home/u/repo", Workspace: "/home/u/repo", Root: "r", Session: "s", CallID: "c", Git: &abi.GitFacts{},
		RealPaths: map[string]string{"/home/u/repo": "/home/u/repo"},
	}
	var err error
	if call.Arguments, err = json.Marshal(map[string]string{"command": text, "description": "d"}); err != nil {
		panic(err)
	}
	head, err := json.Marshal(call)
	if err != nil {
		panic(err)
	}
	return string(head)
}

// converse runs a call and gives all that comes of it. The store is empty and
// every path is real.
func converse(t *testing.T, host Host, c Command) (said []Event) {
	if err := host.Send(c); err != nil {
		t.Fatal(err)
	}
	r := &Runner{Host: host}
	for {
		e, err := r.next(time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, e)
		if e.On == "done" || e.On == "failed" {
			return said
		}
		if e.On != "effect" {
			continue
		}
		if err := host.Send(answerTo(t, e)); err != nil {
			t.Fatal(err)
		}
	}
}

func answerTo(t *testing.T, e Event) Command {
	a := Command{Do: "answer", Call: e.Call, N: e.N}
	switch e.Kind {
	case abi.EffectStoreList:
		a.Head = `{"names":[]}`
	case abi.EffectRealpath:
		var asked abi.PathsRequest
		if err := json.Unmarshal([]byte(e.Head), &asked); err != nil {
			t.Fatal(err)
		}
		real := map[string]string{}
		for _, p := range asked.Paths {
			real[p] = p
		}
		head, err := json.Marshal(abi.PathsAnswer{Real: real})
		if err != nil {
			t.Fatal(err)
		}
		a.Head = string(head)
	default:
		a.Error = &abi.EffectError{Code: abi.CodeNotFound, Message: "There is none."}
	}
	return a
}
