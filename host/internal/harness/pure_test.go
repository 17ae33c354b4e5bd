package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLocate(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	manifest := func(version string) string {
		return `{"name":"@deepseek-ai/dsh","version":"` + version + `","bin":{"dsh":"lib/bin.js"}}`
	}
	for version, in := range map[string]string{
		"1.0.0": "installed/node_modules/@deepseek-ai/dsh/", "2.0.0": "package/",
		"3.0.0": "checkout/apps/cli/", "4.0.0": "components/harness/node_modules/@deepseek-ai/dsh/",
	} {
		write(in+"package.json", manifest(version))
		write(in+"lib/bin.js", "")
	}
	write("checkout/package.json", `{"name":"deepseek-harness","version":"0.0.0"}`)
	write("unbuilt/package.json", manifest("5.0.0"))
	write("torn/package.json", `{"name":"@dee`)
	write("nameless/package.json", `{"name":"@deepseek-ai/dsh"}`)
	write("other/package.json", `{"name":"left-pad"}`)
	write("empty/file", "")

	for _, tt := range []struct{ harness, components, flag, want string }{
		{"installed", "components", "package", "1.0.0"},
		{"package", "", "", "2.0.0"},
		{"checkout", "", "", "3.0.0"},
		{"", "components", "package", "4.0.0"},
		{"", "empty", "package", "2.0.0"},
		{"", "", "installed", "1.0.0"},
		{"", "empty", "", "missing"},
		{"", "", "", "missing"},
		{"nowhere", "components", "package", "missing"},
		{"other", "", "package", "missing"},
		{"", "", "unbuilt", "broken"},
		{"", "", "torn", "broken"},
		{"", "", "nameless", "broken"},
	} {
		at := func(name string) string {
			if name == "" {
				return ""
			}
			return filepath.Join(dir, name)
		}
		c, err := Locate(func(name string) string {
			return map[string]string{EnvHarness: at(tt.harness), EnvComponents: at(tt.components)}[name]
		}, at(tt.flag))
		got := c.Version
		var e *Error
		if errors.As(err, &e) {
			got = string(e.Kind)
		}
		if got != tt.want {
			t.Errorf("Locate(%+v) = %q, %v", tt, got, err)
		}
	}
}

func TestFindNode(t *testing.T) {
	script := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct {
		path, want, sentence string
	}{
		{script("node", "echo v22.19.0"), "22.19.0", ""},
		{script("node", "echo v24.0.1-nightly"), "24.0.1-nightly", ""},
		{script("node", `echo "v22.19.0$NODE_OPTIONS"`), "22.19.0", ""},
		{script("node", "echo v22.18.9"), "", "22.19 or newer, but"},
		{script("node", "echo v20.20.0"), "", "is 20.20.0"},
		{script("node", "echo v9999999999999999999999.1.0"), "", "22.19 or newer, but"},
		{script("node", "echo hello"), "", "does not run as Node.js"},
		{script("node", "exit 3"), "", "does not run as Node.js"},
		{filepath.Join(t.TempDir(), "none"), "", "none was found"},
	} {
		t.Setenv("NODE_OPTIONS", "--x")
		got, err := FindNode(t.Context(), tt.path)
		if got.Version != tt.want {
			t.Errorf("version %q, want %q (%v)", got.Version, tt.want, err)
		}
		var e *Error
		if tt.sentence != "" && (!errors.As(err, &e) || e.Kind != KindNode || !strings.Contains(e.Sentence.Text, tt.sentence)) {
			t.Errorf("%v, want a sentence with %q", err, tt.sentence)
		}
	}
	t.Setenv("PATH", filepath.Dir(script("node", "echo v30.1.0")))
	if got, err := FindNode(t.Context(), ""); err != nil || got.Version != "30.1.0" {
		t.Errorf("from PATH: %+v, %v", got, err)
	}
}

func TestEnviron(t *testing.T) {
	host := []string{
		"PATH=/bin", "HOME=/home/u", "LANG=C.UTF-8", "LC_TIME=de_DE", "LC_SERVICE_TOKEN=a-token", "TZ=UTC", "TMPDIR=/t", "SystemRoot=C:\\Windows",
		"OPENAI_API_KEY=k", "NODE_OPTIONS=--require=x", "DSH_PERMISSION_MODE=danger-full-access", "HTTP_PROXY=http://p",
		"DSH_HOME=/elsewhere", "STRATA_LAUNCH=old", "LC=x", "PATHOLOGY=x", "broken",
	}
	want := []string{
		"DSH_HOME=/home", "DSH_TELEMETRY_DISABLED=1", "HOME=/home/u", "LANG=C.UTF-8", "LC_TIME=de_DE", "PATH=/bin",
		"STRATA_LAUNCH=m", "STRATA_MCP_KEY_1_2=v", "STRATA_ROUTE_KEY=r", "STRATA_SEARCH_KEY=s", "SystemRoot=C:\\Windows", "TMPDIR=/t", "TZ=UTC",
	}
	if diff := cmp.Diff(want, environ(host, "/home", "m", Config{RouteKey: "r", SearchKey: "s", Servers: map[string]string{EnvServerKey + "_1_2": "v"}}.secrets())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want = []string{"DSH_HOME=/home", "DSH_TELEMETRY_DISABLED=1", "STRATA_LAUNCH=m"}
	if diff := cmp.Diff(want, environ(nil, "/home", "m", Config{}.secrets())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOutput(t *testing.T) {
	var log strings.Builder
	var seen []string
	o := &output{log: &log, redact: redactor(func(s string) string { return strings.ReplaceAll(s, "more", "less") }, "s3cret", "")}
	out := o.lines(func(line string) { seen = append(seen, line) })
	errs := o.lines(nil)
	for _, part := range []string{"a s3", "cret b\nmo", "re\r\n", strings.Repeat("x", maxLine-2), "yyyyy\nlast s3cret"} {
		if n, err := out.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	fmt.Fprint(errs, "from stderr?token=t0k-en_ x\n")
	out.Close()
	errs.Close()
	long := strings.Repeat("x", maxLine-2) + "yy"
	want := "a [secret] b\nless\n" + long + "\nfrom stderr?token=[secret] x\nlast [secret]\n"
	if diff := cmp.Diff(want, log.String()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("from stderr?token=[secret] x\nlast [secret]\n", o.Tail()); diff != "" {
		t.Errorf("tail (-want +got):\n%s", diff)
	}
	// What is looked at is not redacted: it never leaves the package.
	if diff := cmp.Diff([]string{"a s3cret b", "more", long, "last s3cret"}, seen); diff != "" {
		t.Errorf("seen (-want +got):\n%s", diff)
	}
}

func TestTailIsBounded(t *testing.T) {
	var log strings.Builder
	o := &output{log: &log, redact: func(s string) string { return s }}
	for i := range 5000 {
		o.add(fmt.Sprintf("line %d", i))
	}
	tail := o.Tail()
	if len(tail) > maxTail || len(tail) < maxTail-16 || !strings.HasPrefix(tail, "line ") || !strings.HasSuffix(log.String(), tail) {
		t.Errorf("tail of %d bytes: %.20q", len(tail), tail)
	}
}

func TestAwaitReady(t *testing.T) {
	const base = "http://127.0.0.1:1"
	notYet, never := errors.New("not yet"), 24*time.Hour
	for _, tt := range []struct {
		name            string
		url, exit       time.Duration // when; never
		urlErr          error
		answers         time.Duration // from when host.describe answers
		breaks, refuses time.Duration // from when it does not answer, is refused
		want            time.Duration // when it is over
		err             error
		proven          bool
	}{
		{name: "proven, answers late", url: 1 * time.Second, exit: never, answers: 1500 * time.Millisecond, breaks: never, refuses: never, want: 1500 * time.Millisecond, proven: true},
		{name: "proven, ends before it answers", url: 1 * time.Second, exit: 1200 * time.Millisecond, answers: never, breaks: never, refuses: never, want: 1200 * time.Millisecond, err: errEnded, proven: true},
		{"answers at once", 1 * time.Second, never, nil, 0, never, never, 2 * time.Second, nil, false},
		{"answers late", 1 * time.Second, never, nil, 5 * time.Second, never, never, 5 * time.Second, nil, false},
		{"ends before its URL", never, 700 * time.Millisecond, nil, 0, never, never, 700 * time.Millisecond, errEnded, false},
		{"ends before it answers", time.Second, 1500 * time.Millisecond, nil, never, never, never, 1500 * time.Millisecond, errEnded, false},
		{"ends after it answered", time.Second, 1999 * time.Millisecond, nil, 0, never, never, 1999 * time.Millisecond, errEnded, false},
		{"answers, then does not for a while", time.Second, never, nil, 0, 1100 * time.Millisecond, never, 30 * time.Second, context.DeadlineExceeded, false},
		{"is refused", time.Second, never, nil, 0, never, 0, time.Second, errRefused, false},
		{"is refused late", time.Second, never, nil, 0, never, 1500 * time.Millisecond, 2 * time.Second, errRefused, false},
		{"a bad URL line", time.Second, never, notYet, 0, never, never, time.Second, notYet, false},
		{"nothing happens", never, never, nil, never, never, never, 30 * time.Second, context.DeadlineExceeded, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				urls, exited := make(chan urlLine, 1), make(chan struct{})
				timers := []*time.Timer{
					time.AfterFunc(tt.url, func() { urls <- urlLine{base, tt.urlErr} }),
					time.AfterFunc(tt.exit, func() { close(exited) }),
				}
				defer func() {
					for _, timer := range timers {
						timer.Stop()
					}
				}()
				ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
				defer cancel()
				got, err := awaitReady(ctx, launch{url: urls, exited: exited, proven: tt.proven, describe: func(_ context.Context, at string) error {
					if at != base {
						t.Errorf("asked at %q", at)
					}
					switch since := time.Since(begin); {
					case since >= tt.refuses:
						return errRefused
					case since < tt.answers || since >= tt.breaks:
						return notYet
					}
					return nil
				}})
				if !errors.Is(err, tt.err) || (err == nil) != (got == base) {
					t.Errorf("got %q, %v, want %v", got, err, tt.err)
				}
				if over := time.Since(begin); over != tt.want {
					t.Errorf("over after %v, want %v", over, tt.want)
				}
			})
		})
	}
}
