package e2e

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/proto/chat"
)

// secretService is gnome-keyring on a bus of its own, with a login keyring.
type secretService struct {
	home   *kit.Home
	env    []string
	daemon *kit.Process
}

func startSecretService(ctx context.Context, t *testing.T, home *kit.Home) *secretService {
	t.Helper()
	for _, program := range []string{"dbus-daemon", "dbus-send", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%s is missing: .tools/setup.sh test installs it", program)
		}
	}
	dir, err := os.MkdirTemp("", "bus") // a socket's path is short
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	bus := "unix:path=" + filepath.Join(dir, "bus")
	s := &secretService{home: home, env: kit.Environ(t, home, nil, "DBUS_SESSION_BUS_ADDRESS="+bus, "XDG_RUNTIME_DIR="+dir)}
	config := filepath.Join(home.Dir, "bus.conf") // it starts no service by itself, no prompt either
	must(t, os.WriteFile(config, []byte(`<busconfig><type>session</type><listen>`+bus+`</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>`), 0o600))
	d := kit.StartProcess(t, home, kit.Command{Name: "bus", Path: "dbus-daemon", Env: s.env, Dir: home.Dir,
		Args: []string{"--config-file=" + config, "--nofork", "--nopidfile", "--print-address"}})
	_, err = d.WaitLine(ctx, func(line string) bool { return strings.HasPrefix(line, "unix:") })
	must(t, err)
	s.unlock(ctx, t)
	return s
}

// unlock has a keyring daemon with the person's password take the service over.
func (s *secretService) unlock(ctx context.Context, t *testing.T) {
	t.Helper()
	if s.daemon != nil {
		if _, err := s.daemon.Stop(ctx); err != nil {
			t.Fatal(err)
		}
	}
	s.daemon = kit.StartProcess(t, s.home, kit.Command{Name: "keyring", Path: "gnome-keyring-daemon", Env: s.env, Dir: s.home.Dir,
		Args: []string{"--foreground", "--components=secrets", "--unlock"}, Stdin: "the person's password"})
	must(t, s.daemon.CloseStdin())
	must(t, kit.Until(ctx, func(ctx context.Context) error {
		out, err := s.call(ctx, "org.freedesktop.DBus.Properties.Get", "string:org.freedesktop.Secret.Service", "string:Collections")
		if err == nil && !strings.Contains(out, "/collection/login") {
			err = errors.New("no login keyring yet: " + out)
		}
		return err
	}))
}

func (s *secretService) call(ctx context.Context, method string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "dbus-send", append([]string{"--session", "--print-reply", "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets", method}, args...)...)
	c.Env = s.env
	out, err := c.CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return string(out), nil
}

// entries counts the host's.
func (s *secretService) entries(ctx context.Context, t *testing.T) int {
	t.Helper()
	out, err := s.call(ctx, "org.freedesktop.Secret.Service.SearchItems", "dict:string:string:service,Strata model connections")
	must(t, err)
	return strings.Count(out, "object path")
}

// Keys are in the system's keyring where there is one, and in no file: the real one. One
// that is locked loses nothing; until it is open again new keys go into the file, and the
// page says so as long as one is there: the next start moves it.
func TestSystemKeyring(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	home := kit.NewHome(t)
	ring := startSecretService(ctx, t, home)
	const modelKey, searchesKey, laterKey = "sk-model-0123456789abcdef", "exa-search-0123456789", "sk-later-0123456789abcdef"
	models := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+modelKey {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"data":[{"id":"m","context_length":100000}]}`))
	}))
	t.Cleanup(models.Close)
	host := func(env ...string) *kit.Host {
		return kit.StartHost(ctx, t, home, kit.HostOptions{NoModel: true, Harness: noHarness(t, home), Args: []string{"--keys", "keyring"}, Env: env})
	}
	stop := func(h *kit.Host) {
		t.Helper()
		_, err := h.Stop(ctx)
		must(t, err)
	}
	add := func(h *kit.Host, name, key string) (c chat.ModelConnection) {
		t.Helper()
		must(t, h.Do(ctx, "POST", "/api/models", chat.ConnectionSpec{Kind: chat.KindOpenAI, Name: name, BaseURL: models.URL, Key: &key, Models: []chat.ModelSpec{{ID: "m", ContextWindow: 100_000}}}, &c))
		return c
	}
	type seen struct {
		KeysIn  chat.KeyPlace // of the next key
		KeyIn   chat.KeyPlace // of the connection's
		Ready   bool
		Text    string
		Search  bool // its key is there
		Entries int  // in the keyring
		Files   string
	}
	look := func(h *kit.Host, id string) (s seen) {
		t.Helper()
		var a chat.ModelsAnswer
		must(t, h.Do(ctx, "GET", "/api/models", nil, &a))
		s.KeysIn = a.KeysIn
		for _, c := range a.Connections {
			if c.ID == id {
				s.KeyIn, s.Ready, s.Text = c.KeyIn, c.Ready, c.Text
			}
		}
		var set chat.ToolSettings
		must(t, h.Do(ctx, "GET", "/api/agent/tools", nil, &set))
		s.Search, s.Entries = set.WebSearch.KeySet, ring.entries(ctx, t)
		for path, text := range unpacked(t, home.Dir) { // the keyring's own file is there too
			for _, key := range []string{modelKey, searchesKey, laterKey} {
				if strings.Contains(text, key) {
					s.Files += strings.TrimPrefix(path, home.Dir) + " "
				}
			}
		}
		return s
	}
	got := map[string]seen{}
	h := host(ring.env[len(ring.env)-2:]...)
	add(h, "One", modelKey)
	must(t, h.Do(ctx, "PUT", "/api/agent/tools", service("exa", searchesKey), nil))
	got["entered"] = look(h, "one")
	stop(h)

	h = host(ring.env[len(ring.env)-2:]...)
	got["the next start"] = look(h, "one")
	stop(h)

	_, err := ring.call(ctx, "org.freedesktop.Secret.Service.Lock", "array:objpath:/org/freedesktop/secrets/collection/login")
	must(t, err)
	h = host(ring.env[len(ring.env)-2:]...)
	got["locked"] = look(h, "one")
	add(h, "Later", laterKey)
	got["locked, another key"] = look(h, "later")
	ring.unlock(ctx, t)
	var test chat.ModelTest
	must(t, h.Do(ctx, "POST", "/api/models/one/test", nil, &test))
	if !test.OK {
		t.Errorf("a test with the keyring open again: %+v", test)
	}
	must(t, h.Do(ctx, "PUT", "/api/agent/tools", service("exa", ""), nil))
	got["open again"] = look(h, "one")
	stop(h)

	h = host() // no bus at all
	got["no bus"] = look(h, "one")
	stop(h)

	h = host(ring.env[len(ring.env)-2:]...)
	got["moved"] = look(h, "later")
	must(t, h.Do(ctx, "DELETE", "/api/models/one", nil, nil))
	must(t, h.Do(ctx, "DELETE", "/api/models/later", nil, nil))
	must(t, h.Do(ctx, "PUT", "/api/agent/tools", chat.ToolsPatch{WebSearch: &chat.WebSearchPatch{Key: new(string)}}, nil))
	got["forgotten"] = look(h, "one")
	stop(h)

	const lost = "The key of this connection could not be read. Unlock the keyring and test the connection, or enter the key again."
	want := map[string]seen{
		"entered":             {KeysIn: chat.KeyInKeyring, KeyIn: chat.KeyInKeyring, Ready: true, Search: true, Entries: 2},
		"the next start":      {KeysIn: chat.KeyInKeyring, KeyIn: chat.KeyInKeyring, Ready: true, Search: true, Entries: 2},
		"locked":              {KeysIn: chat.KeyInFile, KeyIn: chat.KeyInKeyring, Text: lost, Entries: 2},
		"locked, another key": {KeysIn: chat.KeyInFile, KeyIn: chat.KeyInFile, Ready: true, Entries: 2, Files: "/data/keys.json "},
		"open again":          {KeysIn: chat.KeyInFile, KeyIn: chat.KeyInKeyring, Ready: true, Search: true, Entries: 2, Files: "/data/keys.json "},
		"no bus":              {KeysIn: chat.KeyInFile, KeyIn: chat.KeyInKeyring, Text: lost, Entries: 2, Files: "/data/keys.json "},
		"moved":               {KeysIn: chat.KeyInKeyring, KeyIn: chat.KeyInKeyring, Ready: true, Search: true, Entries: 3},
		"forgotten":           {KeysIn: chat.KeyInKeyring},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
