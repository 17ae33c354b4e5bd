package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

func ptr[T any](v T) *T { return &v }

func program(name string) chat.CustomToolPatch {
	return chat.CustomToolPatch{Kind: chat.KindServer, Name: name, Command: ptr("node"), Args: &[]string{"/opt/x y.mjs"}, Values: map[string]string{"TOKEN": "a secret"}}
}

func address(name string) chat.CustomToolPatch {
	return chat.CustomToolPatch{Kind: chat.KindServer, Name: name, URL: ptr("https://mcp.example.com/mcp/"), Values: map[string]string{"Authorization": "Bearer secret"}}
}

// A server is kept, told of without its values, changed and taken away.
func TestServers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	s := open(t, path)
	for _, p := range []chat.CustomToolPatch{program("notes"), address("web")} {
		if err := s.Add(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	want := []chat.CustomTool{
		{ID: "notes", Kind: chat.KindServer, On: true, Command: "node", Args: []string{"/opt/x y.mjs"}, Values: []string{"TOKEN"}},
		{ID: "web", Kind: chat.KindServer, On: true, URL: "https://mcp.example.com/mcp/", Values: []string{"Authorization"}},
	}
	again := open(t, path)
	for what, s := range map[string]*Settings{"kept": s, "read again": again} {
		if diff := cmp.Diff(want, s.Get().Custom); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
		told, err := json.Marshal(s.Get())
		if shown := string(told) + fmt.Sprintf("%+v", s.Choice()); err != nil || strings.Contains(shown, "secret") {
			t.Errorf("%s shows a value: %s, %v", what, shown, err)
		}
		if got := text(s.Choice().Servers[1].Values["Authorization"]); got != "Bearer secret" {
			t.Errorf("%s: the header is %q", what, got)
		}
	}
	for _, file := range []string{path, stored(path).Path()} {
		data, err := os.ReadFile(file)
		info, statErr := os.Stat(file)
		if err != nil || statErr != nil || info.Mode().Perm() != 0o600 || strings.Contains(string(data), "secret") && file == path {
			t.Errorf("%s has %v: %s, %v, %v", file, info, data, err, statErr)
		}
	}
	revision := func(i int) int { return again.Choice().Servers[i].Revision }
	first := revision(1)
	for _, p := range []struct {
		id    string
		patch chat.CustomToolPatch
	}{
		{"notes", chat.CustomToolPatch{On: ptr(false), Args: &[]string{}}},
		{"web", chat.CustomToolPatch{Values: map[string]string{"Authorization": "", "X-Key": "another"}}},
	} {
		if err := again.Edit(t.Context(), p.id, p.patch); err != nil {
			t.Fatal(err)
		}
	}
	want[0].On, want[0].Args, want[1].Values = false, nil, []string{"X-Key"}
	if diff := cmp.Diff(want, open(t, path).Get().Custom); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	if second := revision(1); second <= first {
		t.Errorf("another header has the revision %d after %d", second, first)
	}
	// The values were for the server that it was.
	if err := again.Edit(t.Context(), "web", chat.CustomToolPatch{URL: ptr("https://elsewhere.example.com/")}); err != nil {
		t.Fatal(err)
	}
	if got := again.Get().Custom[1]; got.Values != nil || got.URL != "https://elsewhere.example.com/" {
		t.Errorf("moved: %+v", got)
	}
	if err := again.Edit(t.Context(), "web", chat.CustomToolPatch{Command: ptr("npx"), Args: &[]string{"-y", "x"}}); err != nil {
		t.Fatal(err)
	}
	if got := again.Get().Custom[1]; got.URL != "" || got.Command != "npx" {
		t.Errorf("a program now: %+v", got)
	}
	if err := again.Remove(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(stored(path).Path()); err != nil || strings.Join(strings.Fields(string(data)), "") != `{"version":1,"keys":{}}` || len(open(t, path).Get().Custom) != 1 {
		t.Errorf("what is left: %q, %v", data, err)
	}
}

// What cannot be a server is refused in plain words, and changes nothing.
func TestServersRefused(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "settings.json"))
	if err := s.Add(t.Context(), program("notes")); err != nil {
		t.Fatal(err)
	}
	with := func(change func(*chat.CustomToolPatch)) chat.CustomToolPatch {
		p := address("x")
		change(&p)
		return p
	}
	at := func(url string) chat.CustomToolPatch {
		return with(func(p *chat.CustomToolPatch) { p.URL = &url })
	}
	header := func(name, value string) chat.CustomToolPatch {
		return with(func(p *chat.CustomToolPatch) { p.Values = map[string]string{name: value} })
	}
	many := map[string]string{}
	for i := range 11 {
		many[fmt.Sprint("X-", i)] = "v"
	}
	for name, tt := range map[string]struct {
		patch chat.CustomToolPatch
		want  string
	}{
		"another kind":         {with(func(p *chat.CustomToolPatch) { p.Kind = "command" }), say.ToolKindUnknown},
		"no name":              {address(""), say.ServerNameWrong},
		"a name with __":       {address("a__b"), say.ServerNameWrong},
		"a long name":          {address(strings.Repeat("a", 26)), say.ServerNameWrong},
		"a name that is taken": {address("notes"), "There is a server called notes already. Choose another name, or change that one."},
		"neither":              {chat.CustomToolPatch{Kind: chat.KindServer, Name: "x"}, say.ServerEither},
		"both":                 {with(func(p *chat.CustomToolPatch) { p.Command = ptr("x") }), say.ServerEither},
		"a program of two lines": {chat.CustomToolPatch{Kind: chat.KindServer, Name: "x", Command: ptr("a\nb")},
			say.ServerProgramWrong},
		"an argument with a NUL": {chat.CustomToolPatch{Kind: chat.KindServer, Name: "x", Command: ptr("a"), Args: &[]string{"\x00"}},
			say.ServerProgramWrong},
		"no address":            {at("mcp.example.com"), "The address cannot be used: it must begin with http:// or https://. Correct it and save again."},
		"a password in it":      {at("https://u:p@x/"), "The address cannot be used: it must not hold a user name or password. Correct it and save again."},
		"a key in it":           {at("https://x/?key=1"), "The address cannot be used: it must end before ? and #; a key belongs into a header. Correct it and save again."},
		"a header in clear":     {at("http://mcp.example.com/"), say.ServerInClear},
		"a header of MCP":       {header("mcp-session-id", "x"), "mcp-session-id cannot be set for this server. Choose another header or variable."},
		"a header of HTTP":      {header("Host", "x"), "Host cannot be set for this server. Choose another header or variable."},
		"a header of two lines": {header("X-A", "a\r\nX-B: c"), say.ServerValueWrong},
		"a header of blanks":    {header("X-A", " "), say.ServerValueWrong},
		"a name that is none":   {header("X A", "a"), "X A cannot be set for this server. Choose another header or variable."},
		"a variable that is none": {chat.CustomToolPatch{Kind: chat.KindServer, Name: "x", Command: ptr("a"), Values: map[string]string{"A=B": "x"}},
			"A=B cannot be set for this server. Choose another header or variable."},
		"too many headers": {with(func(p *chat.CustomToolPatch) { p.Values = many }), "A server can have 10 headers or variables. Remove one first."},
	} {
		var refused *chat.Error
		if err := s.Add(t.Context(), tt.patch); !errors.As(err, &refused) || refused.Text != tt.want || refused.Code != chat.CodeBadRequest {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
	for name, err := range map[string]error{"change": s.Edit(t.Context(), "none", chat.CustomToolPatch{}), "remove": s.Remove(t.Context(), "none")} {
		var refused *chat.Error
		if !errors.As(err, &refused) || refused.Code != chat.CodeUnknownTool || refused.Text != say.ServerUnknown {
			t.Errorf("%s of one that is not there: %v", name, err)
		}
	}
	var refused *chat.Error
	if err := s.Edit(t.Context(), "notes", chat.CustomToolPatch{Name: "other"}); !errors.As(err, &refused) || refused.Text != say.ServerRenamed {
		t.Errorf("another name: %v", err)
	}
	if got := s.Get().Custom; len(got) != 1 || got[0].ID != "notes" {
		t.Errorf("then there are %+v", got)
	}
	for i := 1; i < 16; i++ {
		if err := s.Add(t.Context(), program(fmt.Sprint("n", i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Add(t.Context(), program("last")); !errors.As(err, &refused) || refused.Key != say.ServersFull {
		t.Errorf("a 17th: %v", err)
	}
}

// A file that a person edited gives the servers that are some.
func TestServersOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, []byte(`{"tools":{"custom":[{"kind":"server","name":"d","url":"https://x/","off":true,"kept":{"place":"file","account":"gone"},"later":1},`+
		`{"kind":"server","name":"A__B","command":"x"},{"kind":"server","name":"b"},{"kind":"instructions","name":"c","text":"t"},`+
		`{"kind":"server","name":"a","command":"x","revision":7},{"kind":"server","name":"a","command":"y"}]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	if err := s.Unread(); err == nil || !strings.Contains(err.Error(), "it is not in the file") {
		t.Errorf("values that are gone: %v", err)
	}
	var got []string
	for _, s := range s.Choice().Servers {
		got = append(got, fmt.Sprint(s.Name, " ", !s.Off, " ", len(s.Values), " ", s.Revision))
	}
	if diff := cmp.Diff([]string{"a true 0 7", "d false 0 0"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// What another version of the host has there stays.
	if err := s.Edit(t.Context(), "a", chat.CustomToolPatch{On: ptr(false)}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	for _, want := range []string{`"kind":"instructions","name":"c","text":"t"`, `"later":1`, `"account":"gone"`} {
		if err != nil || !strings.Contains(strings.Join(strings.Fields(string(data)), ""), want) {
			t.Errorf("%s is gone: %s, %v", want, data, err)
		}
	}
}

func TestServerNames(t *testing.T) {
	for name, want := range map[string]bool{"a": true, "a-1": true, "a--b": false, "-a": false, "a_b": false, "ä": false, "": false} {
		if got := connections.ValidServerName(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
