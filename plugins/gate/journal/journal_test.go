package journal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/abi"
)

func TestRedact(t *testing.T) {
	pem := "cat <<E\n-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEow\n-----END RSA " + "PRIVATE KEY-----"
	for in, want := range map[string]string{
		"git commit -m 'fix the parser' && go test ./...":       "git commit -m 'fix the parser' && go test ./...",
		"ls src/components/Button2/index.test.tsx":              "ls src/components/Button2/index.test.tsx",
		"npm install @types/node@24.1.0 left-pad":               "npm install @types/node@24.1.0 left-pad",
		"the token count is 12":                                 "the token count is 12",
		"curl -H 'Authorization: Bearer abcdefghijkl' x":        "curl -H 'Authorization: Bearer [redacted]' x",
		"curl -u a:b https://user:hunter2@host.invalid/x?y=1":   "curl -u a:b https://user:[redacted]@host.invalid/x?y=1",
		"git clone https://host.invalid:8080/a@b":               "git clone https://host.invalid:8080/a@b",
		"export API_KEY=sixteen16chars1 B=2":                    "export API_KEY=[redacted] B=2",
		`{"password": "correct horse"}`:                         `{"password": "[redacted] horse"}`,
		"mysql --password hunter2 -e x":                         "mysql --password [redacted] -e x",
		"deploy --token=$TOKEN":                                 "deploy --token=$TOKEN",
		"echo sk-" + "proj0123456789abcdefGHIJ":                 "echo [redacted]",
		"echo ghp_" + "0123456789abcdefghijklmnopqrstuvwxyz":    "echo [redacted]",
		"x AKIA" + "IOSFODNN7EXAMPLE y":                         "x [redacted] y",
		"a eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0In0z": "a [redacted].[redacted]",
		"k 9f86d081884c7d659a2feaa0c55ad015 z":                  "k [redacted] z",
		pem:                                                     "cat <<E\n[redacted]",
		"":                                                      "",
	} {
		if got := Redact(in); got != want {
			t.Errorf("%q\n got %q\nwant %q", in, got, want)
		}
	}
}

func FuzzRedact(f *testing.F) {
	for _, s := range []string{"a://b:c@d", "token=", "bearer  x", "://:@", "password:'", "é=secret=1234"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Redact(s + " --password=hunter22")
		if strings.Contains(got, "hunter22") && !strings.Contains(s, "hunter22") {
			t.Errorf("%q becomes %q", s, got)
		}
	})
}

func TestLines(t *testing.T) {
	entries := []abi.GateEntry{
		{Time: 1, Root: "r", Session: "s", Call: "c", Tool: "bash", What: "echo  a\n && rm <b> TOKEN=abcdefgh1", Mode: abi.Manual, Decision: abi.Allow, By: abi.ByPerson, Rule: "bash:program", Outcome: "allowed-once", Digest: "d"},
		{Time: 2, Tool: strings.Repeat("t", 200), What: strings.Repeat("é", 200), Decision: abi.Deny, By: abi.ByRule, Rule: "tool:unknown"},
	}
	got, err := Lines(entries)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"time":1,"root":"r","session":"s","call":"c","tool":"bash","what":"echo a && rm <b> TOKEN=[redacted]","mode":"manual","decision":"allow","by":"person","rule":"bash:program","outcome":"allowed-once","digest":"d"}` + "\n" +
		`{"time":2,"tool":"` + strings.Repeat("t", 128) + `…","what":"` + strings.Repeat("é", 150) + `…","decision":"deny","by":"rule","rule":"tool:unknown"}` + "\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestNames(t *testing.T) {
	if got := Name(7); got != "decisions-000007" {
		t.Error(got)
	}
	for name, want := range map[string]int{"decisions-000007": 7, "decisions-999999": 999999, "decisions-000000": 0, "decisions-7": 0, "permission-00000a": 0, "decisions-+00001": 0} {
		if n, ok := Number(name); ok != (want > 0) || ok && n != want {
			t.Errorf("%s: %d, %v", name, n, ok)
		}
	}
}
