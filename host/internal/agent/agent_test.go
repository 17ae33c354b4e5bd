package agent

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/bridge"
	"strata.dev/bridge/host/internal/gateway/remotemux/double"
	"strata.dev/bridge/host/internal/gateway/replay"
	"strata.dev/bridge/host/internal/harness"
	"strata.dev/bridge/host/internal/harness/harnesstest"
	"strata.dev/bridge/host/internal/profile"
	"strata.dev/bridge/host/internal/redact"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wires are the doubles that a stand-in process's ready line leads to.
var wires = map[string]func(*bed){
	"events.mux": func(b *bed) {
		older := replay.New("") // what it takes for the secret, refuse says
		b.handler, b.cut, b.restart = older, older.Cut, func(string) { older.Restart() }
	},
	"remote.mux": func(b *bed) {
		newer := double.New("")
		b.handler, b.cut = newer, newer.Cut
		b.restart = func(token string) { newer.Restart(token, false) }
		b.closeAll = newer.CloseAll
		b.tokens = true
	},
}

// bed is an Agent over stand-in processes.
type bed struct {
	t       *testing.T
	agent   *Agent
	dir     string
	web     *httptest.Server
	tokens  bool // a ready line has a launch token
	starts  int
	begun   []string // the presets that processes were started from
	fails   bool     // the next start
	current *harness.Process

	handler  http.Handler
	cut      func([]byte)
	closeAll func(code int)
	restart  func(token string)

	mu     sync.Mutex
	refuse func(http.ResponseWriter, *http.Request) bool // true: it has answered
}

func newBed(t *testing.T, wire func(*bed)) *bed {
	t.Helper()
	b := &bed{t: t, dir: t.TempDir()}
	wire(b)
	b.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		refuse := b.refuse
		b.mu.Unlock()
		if refuse == nil || !refuse(w, r) {
			b.handler.ServeHTTP(w, r)
		}
	}))
	code, err := os.ReadFile(filepath.Join("testdata", "standin.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	harnesstest.Write(t, filepath.Join(b.dir, "standin.mjs"), string(code))
	node := harnesstest.Node(t)
	b.agent = New(Options{Redact: redact.New(), Log: zap.NewNop()})
	b.agent.compose = func(s Settings) (profile.Files, error) {
		p := profile.Settings{Standard: []byte("- {id: tool-a, name: '@x/tool-a'}\n- {id: tool-b, name: '@x/tool-b'}\n"), Off: s.Off}
		for _, c := range s.Connections {
			p.Providers = append(p.Providers, c.Provider("http://127.0.0.1:1/"+c.ID))
		}
		return profile.Generate(p)
	}
	b.agent.keeper = harness.NewKeeper(func(ctx context.Context) (*harness.Process, error) {
		line := b.web.URL
		b.starts++
		files, err := b.agent.begin(b.agent.compose)
		if err != nil {
			return nil, err
		}
		b.begun = append(b.begun, string(files[profile.PresetFile]))
		if b.fails {
			return nil, errors.New("it does not start")
		}
		if b.tokens { // each process has one of its own
			token := "launch-token-" + strings.Repeat("x", b.starts)
			b.restart(token)
			line += "/?token=" + token
		}
		if err := os.WriteFile(filepath.Join(b.dir, "ready"), []byte(line), 0o600); err != nil {
			return nil, err
		}
		p, err := harness.Start(ctx, harness.Config{
			Component: harness.Component{Dir: b.dir, Bin: filepath.Join(b.dir, "standin.mjs")}, Node: node,
			Home: filepath.Join(b.dir, "home"), Profile: "strata",
		})
		if err == nil {
			b.agent.ready()
		}
		b.current = p
		return p, err
	})
	t.Cleanup(func() {
		if err := b.agent.Close(context.Background()); err != nil {
			t.Error(err)
		}
		b.cut(nil)
		b.web.Close()
	})
	return b
}

// answer has each request seen by f first.
func (b *bed) answer(f func(http.ResponseWriter, *http.Request) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refuse = f
}

// ensure gives the running life, which must answer.
func (b *bed) ensure() bridge.Process {
	b.t.Helper()
	l, err := b.agent.Ensure(b.t.Context())
	if err != nil {
		b.t.Fatalf("ensure: %v", err)
	}
	if _, err := l.Gateway().Sessions(b.t.Context()); err != nil {
		b.t.Fatalf("the life does not answer: %v", err)
	}
	return l
}

func await(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-t.Context().Done():
		t.Fatalf("it did not come: %s", what)
	}
}

func onWires(t *testing.T, f func(t *testing.T, b *bed)) {
	for name, wire := range wires {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t, wire)
			f(t, b)
		})
	}
}

// A process that ended is followed by another one, which is dialled anew: by its own
// address and token. Who asks at once gets the same.
func TestLives(t *testing.T) {
	onWires(t, func(t *testing.T, b *bed) {
		if s := b.agent.Status(); s.State != "stopped" || s.Wire != "" {
			t.Errorf("before the first message it is %+v", s)
		}
		var all sync.WaitGroup
		var lives [8]bridge.Process
		for i := range lives {
			all.Go(func() { lives[i], _ = b.agent.Ensure(t.Context()) })
		}
		all.Wait()
		first := b.ensure()
		for _, l := range lives {
			if l != first {
				t.Fatal("those who asked at once have different lives")
			}
		}
		if s := b.agent.Status(); s.State != "ready" || s.Wire != first.Gateway().Wire() {
			t.Errorf("then it is %+v", s)
		}
		if err := syscall.Kill(b.current.PID(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		b.cut(nil) // as its sockets are
		await(t, "the end of the killed life", first.Done())
		second := b.ensure()
		if second == first || b.starts != 2 {
			t.Errorf("the same life goes on after %d starts", b.starts)
		}
	})
}

// A gateway that gave up for good ends its life though the process lives; the process
// is stopped, and the next message gets another one.
func TestGivenUp(t *testing.T) {
	status := func(code int) func(b *bed) {
		return func(b *bed) {
			b.answer(func(w http.ResponseWriter, _ *http.Request) bool {
				w.WriteHeader(code)
				return true
			})
			b.cut(nil)
		}
	}
	for name, give := range map[string]func(b *bed){
		"unauthorized": status(http.StatusUnauthorized),
		"forbidden":    status(http.StatusForbidden),
		"token": func(b *bed) {
			if b.tokens {
				b.restart("of another process")
				return
			}
			status(http.StatusUnauthorized)(b)
		},
		"misuse": func(b *bed) {
			if b.closeAll == nil {
				status(http.StatusUnauthorized)(b)
				return
			}
			var upgrades atomic.Int32
			b.answer(func(w http.ResponseWriter, r *http.Request) bool {
				if strings.HasSuffix(r.URL.Path, ".mux") && upgrades.Add(1) > 0 {
					go func() { // once it stands
						harnesstest.Until(b.t, "a socket stands", func() bool { return b.handler.(*double.Server).Links() > 0 })
						b.closeAll(1008)
					}()
				}
				return false
			})
			b.closeAll(1008)
		},
	} {
		t.Run(name, func(t *testing.T) {
			onWires(t, func(t *testing.T, b *bed) {
				first := b.ensure()
				process := b.current
				give(b)
				await(t, "the end of the life", first.Done())
				await(t, "the end of the process", process.Done())
				b.answer(nil)
				if second := b.ensure(); second == first || b.starts != 2 {
					t.Errorf("the same life goes on after %d starts", b.starts)
				}
			})
		})
	}
}

// A process that is ready and cannot be connected to is said so in a sentence; the
// next message tries another one.
func TestDialFails(t *testing.T) {
	onWires(t, func(t *testing.T, b *bed) {
		b.answer(func(w http.ResponseWriter, r *http.Request) bool {
			socket := strings.Contains(r.URL.Path, "/api/events.") || strings.HasSuffix(r.URL.Path, ".mux")
			if socket {
				w.WriteHeader(http.StatusForbidden)
			}
			return socket
		})
		_, err := b.agent.Ensure(t.Context())
		var refused *chat.Error
		if !errors.As(err, &refused) || refused.Code != chat.CodeAgentUnavailable || refused.Key != say.AgentLost || refused.Details == "" {
			t.Fatalf("got %v", err)
		}
		b.answer(nil)
		b.ensure()
		if b.starts != 2 {
			t.Errorf("%d starts", b.starts)
		}
	})
}

// A process that ends while it is dialled keeps nobody waiting, and neither does a
// caller that goes away.
func TestDialIsCutShort(t *testing.T) {
	onWires(t, func(t *testing.T, b *bed) {
		held := make(chan struct{}, 100)
		release := make(chan struct{})
		b.answer(func(w http.ResponseWriter, r *http.Request) bool {
			if strings.Contains(r.URL.Path, "/api/events.") || strings.HasSuffix(r.URL.Path, ".mux") {
				held <- struct{}{}
				<-release
				return true
			}
			return false
		})
		defer close(release)
		got := make(chan error, 1)
		go func() { _, err := b.agent.Ensure(t.Context()); got <- err }()
		<-held
		impatient, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := b.agent.Ensure(impatient); !errors.Is(err, context.Canceled) {
			t.Errorf("who went away gets %v", err)
		}
		if s := b.agent.Status(); s.State != "ready" { // and does not wait either
			t.Errorf("while it is dialled it is %+v", s)
		}
		if err := syscall.Kill(b.current.PID(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		var refused *chat.Error
		if err := <-got; !errors.As(err, &refused) || refused.Key != say.AgentStopped {
			t.Errorf("who waited gets %v", err)
		}
	})
}

// Sentences for what the dialling of a wire gives.
func TestRefusal(t *testing.T) {
	onWires(t, func(t *testing.T, b *bed) {
		b.answer(func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasPrefix(r.URL.Path, "/api/") || b.agent.Status().State != "ready" {
				return false
			}
			http.NotFound(w, r)
			return true
		})
		_, err := b.agent.Ensure(t.Context())
		var refused *chat.Error
		if !errors.As(err, &refused) || refused.Key != say.HarnessWire {
			t.Errorf("a Harness that speaks neither wire gives %v", err)
		}
	})
}

// The real thing, killed and started again.
func TestRealHarness(t *testing.T) {
	dir := harnesstest.Dir(t)
	home := filepath.Join(dir, "home")
	fence := filepath.Join(harnesstest.Root(t), "shim", "fence.mjs")
	harnesstest.Plain(t, home, "", "- insert: [{id: strata-fence, name: \""+fence+"\"}]\n")
	a := New(Options{Redact: redact.New(), Log: zap.NewNop()})
	var current *harness.Process
	a.keeper = harness.NewKeeper(func(ctx context.Context) (*harness.Process, error) {
		p, err := harness.Start(ctx, harness.Config{
			Component: harnesstest.Component(t), Node: harnesstest.Node(t), Home: home, Profile: "strata", Timeout: startLimit,
		})
		current = p
		return p, err
	})
	defer func() {
		if err := a.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	secret := ""
	for range 2 {
		l, err := a.Ensure(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Gateway().Describe(t.Context()); err != nil {
			t.Fatal(err)
		}
		if current.Secret() == secret {
			t.Error("the next process has the same secret")
		}
		secret = current.Secret()
		if err := syscall.Kill(current.PID(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		await(t, "the end of the killed life", l.Done())
	}
}
