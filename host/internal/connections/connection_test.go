package connections

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/profile"
	"strata.dev/bridge/proto/chat"
)

const secret = "sk-live-0123456789abcdefghijklmnop"

func TestReadKey(t *testing.T) {
	for _, tt := range []struct {
		name, content string
		mode          os.FileMode
		key           string
		warning, err  string // keys of sentences
	}{
		{"one line", secret + "\n", 0o600, secret, "", ""},
		{"without a newline", secret, 0o400, secret, "", ""},
		{"space around it, Windows", " \r\n" + secret + " \r\n\r\n", 0o600, secret, "", ""},
		{"a byte order mark", "\ufeff" + secret + "\n", 0o600, secret, "", ""},
		{"readable by the group", secret + "\n", 0o640, secret, "can be read by other users", ""},
		{"readable by all", secret + "\n", 0o604, secret, "can be read by other users", ""},
		{"empty", "", 0o600, "", "", "which is empty"},
		{"blank", " \n\t\n", 0o600, "", "", "which is empty"},
		{"two lines", secret + "\n" + secret + "\n", 0o600, "", "", "one line"},
		{"a shell variable", "KEY = " + secret + "\n", 0o600, "", "", "one line"},
		{"not ASCII", secret + "ü\n", 0o600, "", "", "one line"},
		{"a control character", secret + "\x00", 0o600, "", "", "one line"},
		{"too long", strings.Repeat("k", maxKeyFile+1), 0o600, "", "", "one line"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "key")
			if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, tt.mode); err != nil {
				t.Fatal(err)
			}
			key, warning, err := ReadKey("--key-file", path)
			if key.reveal() != tt.key {
				t.Errorf("key %q, want %q", key.reveal(), tt.key)
			}
			wantSentence(t, "warning", tt.warning, warning)
			var e *chat.Error
			if errors.As(err, &e) {
				wantSentence(t, "error", tt.err, &e.Sentence)
				noKey(t, fmt.Sprintf("%v %+v", err, e))
			} else if err != nil || tt.err != "" {
				t.Errorf("error %v, want %q", err, tt.err)
			}
		})
	}
	if _, _, err := ReadKey("--key-file", filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("missing file: %v", err)
	}
	if _, _, err := ReadKey("--key-file", t.TempDir()); err == nil {
		t.Error("a folder was read")
	}
}

func TestKeyNeverShows(t *testing.T) {
	k := newKey(secret)
	c := Connection{ID: "x", Key: k}
	hiding := struct{ key Key }{k}
	var shown strings.Builder
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		fmt.Fprintf(&shown, format+"\n", k)
		fmt.Fprintf(&shown, format+"\n", &k)
		fmt.Fprintf(&shown, format+"\n", c)
		fmt.Fprintf(&shown, format+"\n", hiding)
		fmt.Fprintf(&shown, format+"\n", []any{c})
	}
	for _, v := range []any{k, &k, c, map[string]any{"k": k}} {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		shown.Write(data)
	}
	noKey(t, shown.String())
	if strings.Contains(strings.ToLower(shown.String()), fmt.Sprintf("%x", secret)) {
		t.Error("the key shows in hex")
	}
	var known values
	k.Register(&known)
	Key{}.Register(&known)
	if diff := cmp.Diff(values{secret}, known); diff != "" {
		t.Errorf("Register (-want +got):\n%s", diff)
	}
	if got := k.Redact("a " + secret + "b"); got != "a [key]b" {
		t.Errorf("Redact: %q", got)
	}
	if got := (Key{}).Redact("abc"); got != "abc" || (Key{}).String() != "" {
		t.Errorf("no key: %q", got)
	}
}

type values []string

func (v *values) Add(values ...string) { *v = append(*v, values...) }

func TestParseUpstream(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"https://api.example.com/v1", "https://api.example.com/v1"},
		{" https://api.example.com/v1/ \n", "https://api.example.com/v1"},
		{"https://api.example.com/v1/chat/completions", "https://api.example.com/v1"},
		{"http://127.0.0.1:8080", "http://127.0.0.1:8080"},
		{"http://[::1]:8080/", "http://[::1]:8080"},
		{"https://api.example.com/a%2Fb", "https://api.example.com/a%2Fb"},
		{"api.example.com/v1", "http://"},
		{"", "http://"},
		{"ftp://example.com", "http://"},
		{"https:///v1", "no server"},
		{"https://user:pass@example.com", "user name"},
		{"https://example.com/v1?key=1", "before ?"},
		{"https://example.com/v1?", "before ?"},
		{"https://example.com/v1#x", "before ?"},
		{"https://exa mple.com", "no address"},
	} {
		u, err := ParseUpstream(tt.in)
		switch {
		case err != nil && !strings.Contains(err.Error(), tt.want):
			t.Errorf("%q: %v, want %q", tt.in, err, tt.want)
		case err == nil && u.String() != tt.want:
			t.Errorf("%q became %q, want %q", tt.in, u, tt.want)
		}
	}
}

func TestFromFlags(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	if all, warnings, err := FromFlags(Flags{}); all != nil || warnings != nil || err != nil {
		t.Errorf("no flags: %v, %v, %v", all, warnings, err)
	}
	all, warnings, err := FromFlags(Flags{BaseURL: "https://api.example.com/v1/", Model: "vendor/m", Name: "M", ContextWindow: 9000, KeyFile: path, NoPictures: true})
	if err != nil || warnings != nil || len(all) != 1 {
		t.Fatal(all, err, warnings)
	}
	c := all[0]
	want := profile.Provider{ID: "strata", BaseURL: "http://127.0.0.1:1/strata/v1", KeyEnv: "STRATA_ROUTE_KEY", MaxHelpers: 8,
		Models: []profile.Model{{ID: "vendor/m", Name: "M", ContextWindow: 9000}}}
	if diff := cmp.Diff(want, c.Provider("http://127.0.0.1:1/strata/v1")); diff != "" {
		t.Errorf("provider (-want +got):\n%s", diff)
	}
	routes := Routes([]Connection{c, {ID: "b", Name: "B", Kind: chat.KindLocal, Models: []Model{{ID: "x", Efforts: EffortsOf(chat.KindLocal, false)}, {ID: "y"}}}})
	wantRoutes := []chat.Route{{ID: "strata/vendor/m", Name: "M", ContextWindow: 9000, Default: true},
		{ID: "b/x", Name: "x", Images: true, Connection: "B", Local: true, Thinking: []string{"off", "low", "medium", "high"}},
		{ID: "b/y", Name: "y", Images: true, Connection: "B", Local: true}}
	if diff := cmp.Diff(wantRoutes, routes); diff != "" {
		t.Errorf("routes (-want +got):\n%s", diff)
	}
	for _, tt := range []struct {
		flags Flags
		want  string
	}{
		{Flags{BaseURL: "https://x"}, "--model"},
		{Flags{BaseURL: "x", Model: "m"}, "--base-url"},
		{Flags{BaseURL: "https://x", Model: "m", More: []string{"n", "m"}}, "--model"},
		{Flags{BaseURL: "https://x", Model: "m", More: []string{" "}}, "--model"},
		{Flags{BaseURL: "https://x", Model: "m", ContextWindow: -1}, "--context-window"},
		{Flags{BaseURL: "https://x", Model: "m", KeyFile: "/nowhere"}, "--key-file"},
	} {
		if _, _, err := FromFlags(tt.flags); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v", tt.flags, err)
		}
	}
	for _, tt := range []struct {
		base string
		want int
	}{{"http://127.0.0.1:1", 0}, {"http://localhost:1", 0}, {"http://[::1]", 0}, {"https://example.com", 0}, {"http://example.com", 1}, {"http://192.0.2.1", 1}} {
		if _, warnings, err := FromFlags(Flags{BaseURL: tt.base, Model: "m", KeyFile: path, ContextWindow: 1}); err != nil || len(warnings) != tt.want {
			t.Errorf("%s: %v, %v", tt.base, warnings, err)
		}
	}
}

func TestSplitRoute(t *testing.T) {
	for in, want := range map[string]string{"strata/m": "strata|m|true", "strata/a/b:c": "strata|a/b:c|true", "": "||false", "m": "m||false", "/m": "|m|false", "s/": "s||false"} {
		provider, model, ok := SplitRoute(in)
		if got := fmt.Sprintf("%s|%s|%t", provider, model, ok); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func wantSentence(t *testing.T, what, want string, got *chat.Sentence) {
	t.Helper()
	if got == nil {
		if want != "" {
			t.Errorf("no %s, want %q", what, want)
		}
		return
	}
	if want == "" || !strings.Contains(got.Text, want) || strings.Contains(got.Text, "{") {
		t.Errorf("%s %q, want %q", what, got.Text, want)
	}
}

func noKey(t *testing.T, text string) {
	t.Helper()
	if strings.Contains(text, secret) {
		t.Errorf("the key shows in %s", text)
	}
}
