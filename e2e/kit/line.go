package kit

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"strata.dev/bridge/e2e/kit/faultproxy"
	"strata.dev/bridge/e2e/muxport"
)

// Line is the way between a host and its Harness, which a test can break. Each
// process that is started behind it has a port, and so a proxy, of its own.
type Line struct {
	mu    sync.Mutex
	proxy *faultproxy.Proxy // of the newest process; nil before the first
	setup func(*faultproxy.Proxy)
}

// launcher starts the program of another component in this process and prints the
// address of a proxy in place of its own.
const launcher = `import { pathToFileURL } from 'node:url'
const [control, bin] = %s
const READY = /^([^]*\n)?dsh web: http:\/\/([^/\s]+)(.*)\n$/ // muxport says something before it
const write = process.stdout.write.bind(process.stdout)
process.stdout.write = (text, ...rest) => {
  const ready = typeof text === 'string' && READY.exec(text)
  if (!ready) return write(text, ...rest)
  const [, before = '', own, after] = ready
  void fetch(control + '/?target=' + own).then(answer => answer.text()).then(address => write(before + 'dsh web: http://' + address + after + '\n'))
  return true
}
process.argv[1] = bin
await import(pathToFileURL(bin).href)
`

// Behind gives the folder of a component that is the one in dir, "" for the Harness
// under test, behind a Line. Setup, if not nil, is called with each process's proxy
// before anybody connects to it.
func Behind(t testing.TB, home *Home, dir string, setup func(*faultproxy.Proxy)) (string, *Line) {
	t.Helper()
	if dir == "" {
		dir = HarnessDir()
	}
	line := &Line{setup: setup}
	control := line.serve(t)
	bin, err := harnessBin(dir)
	if err != nil {
		t.Fatal(err)
	}
	if bin, err = filepath.EvalSymlinks(bin); err != nil {
		t.Fatal(err)
	}
	in := filepath.Dir(bin)
	for ; ; in = filepath.Dir(in) { // the package that the program is of
		if _, err := os.Stat(filepath.Join(in, "package.json")); err == nil {
			break
		}
		if in == filepath.Dir(in) {
			t.Fatalf("%s is of no package", bin)
		}
	}
	data, err := os.ReadFile(filepath.Join(in, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest map[string]any
	if err := json.Unmarshal(data, &manifest); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(home.Dir, "behind")
	program, err := json.Marshal([]string{control, bin})
	if err != nil {
		t.Fatal(err)
	}
	packed, err := json.Marshal(map[string]any{
		"name": manifest["name"], "version": manifest["version"], "type": "module", "bin": map[string]string{"dsh": "start.mjs"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.Mkdir(to, 0o755), os.Symlink(filepath.Join(in, "config"), filepath.Join(to, "config")),
		os.WriteFile(filepath.Join(to, "package.json"), packed, 0o644),
		os.WriteFile(filepath.Join(to, "start.mjs"), fmt.Appendf(nil, launcher, program), 0o644),
		muxport.Neighbours(to, packages(in)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return to, line
}

// packages is the folder with the packages that a component is made of: within it, or
// around it.
func packages(component string) string {
	within := filepath.Join(component, "node_modules", "@deepseek-ai")
	if _, err := os.Stat(within); err == nil {
		return within
	}
	return filepath.Dir(component)
}

// serve answers with the address of a proxy for the target that is asked about.
func (l *Line) serve(t testing.TB) string {
	t.Helper()
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proxy, err := faultproxy.New(r.URL.Query().Get("target"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if l.setup != nil {
			l.setup(proxy)
		}
		l.mu.Lock()
		old := l.proxy
		l.proxy = proxy
		l.mu.Unlock()
		if old != nil {
			_ = old.Close() // its process is gone
		}
		_, _ = fmt.Fprint(w, proxy.Addr()) // who asked sees what is missing
	})}
	var served sync.WaitGroup
	served.Go(func() { _ = server.Serve(listen) }) // it ends with Close
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		served.Wait()
		if p := l.Proxy(); p != nil {
			_ = p.Close() // its listener is of no more use
		}
	})
	return "http://" + listen.Addr().String()
}

// Proxy is what stands before the newest process; nil before the first.
func (l *Line) Proxy() *faultproxy.Proxy {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.proxy
}
