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
	want := "This leads outside the project folder: /w/src/far.txt is really /etc/x."
	for range 20 { // whatever the map's order
		if got := p.JudgeIn("src", "*", false); got.String() != want {
			t.Fatalf("%q", got)
		}
	}
}
