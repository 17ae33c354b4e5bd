package harness

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"strata.dev/bridge/host/internal/gateway/detect"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/store"
)

// Config says what to start and where.
type Config struct {
	Component Component
	Node      Node
	// Home is DSH_HOME: absolute, the host's own, made where missing.
	Home string
	// Profile names a folder in Home/profiles.
	Profile string
	// Patches are absolute paths of patch files that are applied last.
	Patches []string
	// RouteKey is the key proxy's token for this launch; "" leaves the variable out.
	RouteKey string
	// SearchKey is its token for the search service, as RouteKey.
	SearchKey string
	// Servers are the variables of MCP servers (EnvServerKey); the Harness keeps their
	// names, with KEY in them, out of the agent's shell. Redact knows the values.
	Servers map[string]string
	// Environ is the host's environment, of which a few variables are kept; nil is
	// os.Environ().
	Environ []string
	// Log gets every line of output with the secrets taken out; nil drops them.
	Log io.Writer
	// Redact takes further secrets out of a line; nil changes nothing.
	Redact func(string) string
	// Timeout is for becoming ready; 0 is 30 s.
	Timeout time.Duration
	// Proven says that a process of the same files lived before: it is ready once it
	// answers, and need not live on for a second first.
	Proven bool
}

// workDir is the process's working folder in the home. It is empty: the Harness
// reads a .env from where it is started.
const workDir = "cwd"

// args are the launcher's flags, then the web app's.
func (c Config) args() []string {
	args := []string{c.Component.Bin, "--profile", c.Profile}
	for _, p := range c.Patches {
		args = append(args, "--patch", p)
	}
	return append(args, "--port", "0", "--no-open")
}

// secrets are the variables that hold a token or a value of the person's.
func (c Config) secrets() map[string]string {
	all := maps.Clone(c.Servers)
	if all == nil {
		all = map[string]string{}
	}
	for name, value := range map[string]string{EnvRouteKey: c.RouteKey, EnvSearchKey: c.SearchKey} {
		if value != "" {
			all[name] = value
		}
	}
	return all
}

// Process is one running Harness. Its methods may be called from many goroutines.
type Process struct {
	component Component
	node      Node
	home      string
	secret    string
	url       string // set before Start returns
	begun     time.Time

	cmd    *exec.Cmd
	stdin  io.Closer
	out    *output
	claim  *claim
	exited chan struct{} // the process is gone
	done   chan struct{} // and so are its tool processes; the home is free

	mu    sync.Mutex
	asked bool // Stop was called
	token string
	err   error // once done
}

// Start runs the Harness and returns when it is ready. The context bounds the
// start only. A home is used by one process at a time; what a dead host left
// running on it is ended first. Failures are *Error; the context's own error is
// passed on.
func Start(ctx context.Context, cfg Config) (*Process, error) {
	secret, marker := randomHex(32), randomHex(16)
	if err := os.MkdirAll(filepath.Join(cfg.Home, workDir), store.DirMode); err != nil {
		return nil, homeError(cfg.Home, err)
	}
	claim, err := takeHome(cfg.Home, marker)
	if err != nil {
		return nil, homeError(cfg.Home, err)
	}
	p := &Process{
		component: cfg.Component, node: cfg.Node, home: cfg.Home, secret: secret, claim: claim, begun: time.Now(),
		exited: make(chan struct{}), done: make(chan struct{}),
	}
	p.out = &output{log: cfg.Log, redact: redactor(cfg.Redact, secret, cfg.RouteKey, cfg.SearchKey, cfg.Servers[EnvServerKey])}
	if p.out.log == nil {
		p.out.log = io.Discard
	}
	urls := make(chan urlLine, 1)
	if err := p.launch(cfg, marker, urls); err != nil {
		return nil, err
	}
	if err := p.await(ctx, cfg, urls); err != nil {
		return nil, err
	}
	return p, nil
}

// launch starts the process and the goroutine that owns it.
func (p *Process) launch(cfg Config, marker string, urls chan<- urlLine) error {
	env := cfg.Environ
	if env == nil {
		env = os.Environ()
	}
	p.cmd = exec.Command(cfg.Node.Path, cfg.args()...)
	p.cmd.Dir = filepath.Join(cfg.Home, workDir)
	p.cmd.Env = environ(env, cfg.Home, marker, cfg.secrets())
	// A tool process that holds the pipes must not keep Wait from returning.
	p.cmd.WaitDelay = time.Second
	tie(p.cmd)
	stdout := p.out.lines(func(line string) {
		if r, found, err := detect.ReadyLine(line); found {
			p.ready(r)
			select {
			case urls <- urlLine{r.BaseURL, err}:
			default: // only the first counts
			}
		}
	})
	stderr := p.out.lines(nil)
	p.cmd.Stdout, p.cmd.Stderr = stdout, stderr
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return newError(KindLaunch, errors.Join(err, p.claim.release(true)).Error(), say.Sentence(say.AgentFailed))
	}
	p.stdin = stdin
	up := make(chan error)
	go p.own(up, stdout, stderr)
	if err := <-up; err != nil {
		<-p.done
		return newError(KindLaunch, err.Error(), say.Sentence(say.AgentFailed))
	}
	// The pipe's buffer takes the line at once, and the pipe stays open until the
	// end. An error means that the process is gone, which await sees too.
	_, _ = io.WriteString(stdin, p.secret+"\n")
	return nil
}

// own starts the process, waits for its end and cleans up. It keeps its thread,
// because the kernel's tie is to the thread.
func (p *Process) own(up chan<- error, streams ...*lineWriter) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.done)
	err := p.cmd.Start()
	if err == nil {
		err = p.claim.started(p.cmd.Process.Pid, "")
	}
	if err != nil {
		if p.cmd.Process != nil {
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait()
		}
		up <- errors.Join(err, p.claim.release(true))
		return
	}
	up <- nil
	_ = p.cmd.Wait() // ProcessState says how it ended
	for _, s := range streams {
		s.Close()
	}
	close(p.exited)
	p.finish()
}

// finish ends the tool processes of an unclean end and frees the home.
func (p *Process) finish() {
	p.mu.Lock()
	asked := p.asked
	p.mu.Unlock()
	how := p.cmd.ProcessState.String()
	var err error
	if !p.cmd.ProcessState.Success() {
		var n int
		if n, err = p.claim.endTools(); n > 0 {
			p.out.add(fmt.Sprintf("strata: %s; %d tool processes were ended", how, n))
		}
	}
	ended := err == nil
	if err = errors.Join(err, p.claim.release(ended)); err != nil {
		p.out.add("strata: " + err.Error())
	}
	if !asked {
		err = newError(KindDied, strings.TrimSpace(how+"\n"+p.out.Tail()), say.Sentence(say.AgentStopped))
	}
	p.mu.Lock()
	p.err = err
	p.mu.Unlock()
}

// await waits until the process is ready, and ends it where it does not become so.
func (p *Process) await(ctx context.Context, cfg Config, urls <-chan urlLine) error {
	timeout := cfg.Timeout
	if timeout == 0 {
		timeout = startTimeout
	}
	starting, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	base, err := awaitReady(starting, launch{
		url: urls, exited: p.exited, proven: cfg.Proven,
		describe: func(ctx context.Context, base string) error {
			if token := p.Token(); token != "" {
				return answers(ctx, detect.Ready{BaseURL: base, Token: token}, p.secret)
			}
			return describe(ctx, base, p.secret)
		},
	})
	if err == nil {
		p.url = base
		if err = p.claim.started(p.PID(), base); err == nil {
			return nil
		}
		return homeError(p.home, errors.Join(err, p.Stop(context.WithoutCancel(ctx))))
	}
	stopped := p.Stop(context.WithoutCancel(ctx))
	tail := p.out.Tail()
	switch {
	case errors.Is(err, errEnded):
		return startError(p.home, p.component, p.cmd.ProcessState.String(), tail)
	case errors.Is(err, errRefused):
		return newError(KindFence, tail, say.Sentence(say.HarnessFence))
	case ctx.Err() != nil:
		return errors.Join(fmt.Errorf("starting harness: %w", context.Cause(ctx)), stopped)
	case starting.Err() != nil:
		return slowError(int(timeout.Seconds()), tail)
	}
	return newError(KindURL, err.Error(), say.Sentence(say.HarnessOpen))
}

// Stop ends the process: SIGTERM, and SIGKILL after 4.5 s or when the context ends;
// then its tool processes where it could not end them itself. It returns when all
// are gone and the home is free. Further calls wait for the same end.
func (p *Process) Stop(ctx context.Context) error {
	p.mu.Lock()
	first := !p.asked
	p.asked = true
	p.mu.Unlock()
	if first {
		// A second SIGTERM would make the Harness drop its clean-up.
		if err := p.cmd.Process.Signal(sigTerm); err != nil && !errors.Is(err, os.ErrProcessDone) {
			_ = p.cmd.Process.Kill() // no SIGTERM on this system
		}
	}
	if !awaitDone(ctx, p.exited, grace) {
		_ = p.cmd.Process.Kill()
	}
	<-p.done
	_ = p.stdin.Close()
	if err, died := p.Err().(*Error); died && err.Kind == KindDied {
		return nil // gone before it was asked
	}
	return p.Err()
}

// Done is closed when the process and what it left are gone.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err tells, once Done, why: an *Error of KindDied where the process ended by
// itself, nil after a Stop that left nothing behind.
func (p *Process) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// URL is the base URL, such as "http://127.0.0.1:34411".
func (p *Process) URL() string { return p.url }

// Secret is what every request to the process must carry as its Bearer token. It
// is new for every launch.
func (p *Process) Secret() string { return p.secret }

// ready keeps the token of the first ready line.
func (p *Process) ready(r detect.Ready) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.token == "" {
		p.token = r.Token
	}
}

// Token is the launch token that the process printed; "" for a Harness that has none
// (0.1.0).
func (p *Process) Token() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.token
}

// PID is the process's number.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Component is what was started.
func (p *Process) Component() Component { return p.component }

// Node is what it runs on.
func (p *Process) Node() Node { return p.node }

// Begun is when the process was started.
func (p *Process) Begun() time.Time { return p.begun }

// homeError keeps an *Error; others are of files in the home.
func homeError(home string, err error) error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return newError(KindHome, err.Error(), say.Sentence(say.DataUnusable, "path", home))
}

// tokens are launch tokens, which a Harness prints in its URL.
var tokens = regexp.MustCompile(`\btoken=[A-Za-z0-9_-]+`)

// redactor takes the secrets, and what also takes, out of a line.
func redactor(also func(string) string, secrets ...string) func(string) string {
	var pairs []string
	for _, s := range secrets {
		if s != "" {
			pairs = append(pairs, s, "[secret]")
		}
	}
	r := strings.NewReplacer(pairs...)
	return func(line string) string {
		line = tokens.ReplaceAllString(r.Replace(line), "token=[secret]")
		if also != nil {
			line = also(line)
		}
		return line
	}
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// Exit tells, once Done, how the process ended, such as "exit status 0".
func (p *Process) Exit() string {
	select {
	case <-p.exited:
		return p.cmd.ProcessState.String()
	default:
		return ""
	}
}
