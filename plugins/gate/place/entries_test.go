package place

import (
	"testing"

	"strata.dev/bridge/plugins/gate/reason"
)

func TestJudgeIn(t *testing.T) {
	p := Place{CWD: "/w", Workspace: "/w", Real: map[string]string{
		"/w": "/w", "/w/src": "/w/src", "/w/src/a.go": "/w/src/a.go", "/w/src/out.go": "/home/u/.ssh/id_rsa", "/w/src/far.txt": "/etc/x",
		"/w/src/.env": "/w/src/.env", "/w/src/k.pem": "/w/src/k.pem", "/w/src/sub/no.md": "/etc/y", "/w/src/gone.c": "",
	}}
	tests := []struct {
		folder, pattern string
		hidden          bool
		want            string
	}{
		{"src", "a*.go", false, ""},
		{"src/", "*.go", false, reason.Leads},
		{"src", "*.md", false, ""},
		{"src", "*.PEM", false, reason.Secret},
		{"src", "*.t?t", false, reason.Leads},
		{"src", "[a]*.go", false, reason.Leads},
		{"src", "a[x]*.go", false, ""},
		{"src", ".[!.]*", false, reason.Secret},
		{"src", "*nv", false, ""},
		{"src", "*nv", true, reason.Secret},
		{"src", ".*", false, reason.Secret},
		{"src", "*.c", false, reason.Unknown},
		{"docs", "*", true, ""},
		{".", "*", true, ""},
		{"", "*", true, reason.Unknown},
	}
	for _, test := range tests {
		if got := p.JudgeIn(test.folder, test.pattern, test.hidden); got.Key != test.want {
			t.Errorf("%s in %s: %q, want %q", test.pattern, test.folder, got, test.want)
		}
	}
	below := Place{CWD: "/w", Workspace: "/w", Real: map[string]string{
		"/w": "/w", "/w/a": "/w/a", "/w/k.pem": "/w/k.pem", "/w/out": "/home/u/.ssh", "/w/in": "/w/b/c",
		"/w/a/x.go": "/w/a/x.go", "/w/a/l.go": "/etc/l", "/w/a/k.key": "/w/a/k.key", "/w/a/s": "/w/a/s", "/w/a/s/t.go": "/home/u/t", "/w/.aws": "/w/.aws", "/w/-o": "/w/-o", "/w/a=b": "/w/a=b",
	}}
	for _, test := range []struct {
		pattern string
		hidden  bool
		want    string
	}{
		{"a/x*", false, ""}, {"a*/x*", false, ""}, {"a*/*", false, reason.Secret}, {"a*/l*", false, reason.Leads}, {"k*/", false, ""}, {"k*", false, reason.Secret},
		{"o*/", false, reason.Leads}, {"o*/x", false, reason.Leads}, {"*n/", false, ""}, {"*n/x", false, reason.Unknown}, {"a*/s*/*.go", false, reason.Leads},
		{"a*/s*/*.md", false, ""}, {"*s/", true, reason.Secret}, {"*s/", false, ""},
	} {
		if got := below.JudgeIn(".", test.pattern, test.hidden); got.Key != test.want {
			t.Errorf("%s: %q, want %q", test.pattern, got, test.want)
		}
	}
	for pattern, want := range map[string]bool{"a*": false, "*": false, "a*/x*": false, "?o*": false, "k*": true, "*.md": false, "i?": true} {
		if got := below.Plain(".", pattern, false, true); got != want {
			t.Errorf("%s is plain: %t", pattern, got)
		}
	}
	if !below.Plain(".", "*.md", false, false) {
		t.Error("nothing is not plain")
	}
	real := map[string]string{
		"/w": "/w", "/w/**": "/w", "/w/**/a/l": "/w/x", "/w/sub/**": "/w/sub", "/w/sub/**/b/l": "/home/u/l", "/w/sub/**/a": "/etc/a",
		"/w/in/**": "/w/in", "/w/in/**/d": "/w/x/", "/w/key/**": "/w/key", "/w/key/**/l": "/w/.env", "/w/big/**": "", "/w/odd/**": "/w/odd", "/w/odd/**/l": "",
	}
	linked := Place{CWD: "/w", Workspace: "/w", Real: real}
	for _, test := range []struct {
		folder string
		all    bool
		want   string
	}{
		{".", true, ""}, {"sub", false, "This leads outside the project folder: /w/sub/a is really /etc/a."}, {"in", false, ""}, {"big", false, reason.Unknown}, {"new", false, ""},
		{"new", true, reason.Unknown}, {"in", true, reason.Unknown}, {"key", false, reason.Secret}, {"odd", false, reason.Unknown},
	} {
		if got := linked.JudgeBelow(test.folder, test.all); got.Key != test.want && got.String() != test.want {
			t.Errorf("below %s: %q, want %q", test.folder, got, test.want)
		}
	}
	want := "This leads outside the project folder: /w/src/far.txt is really /etc/x."
	for range 20 { // whatever the map's order
		if got := p.JudgeIn("src", "*", false); got.String() != want {
			t.Fatalf("%q", got)
		}
	}
}
