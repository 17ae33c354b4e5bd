package logx

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"strata.dev/bridge/host/internal/redact"
)

const secret = "launch-secret-value-0123"

type named struct{ Name string }

func (n named) String() string { return "<" + n.Name + ">" }

type object struct{}

func (object) MarshalLogObject(e zapcore.ObjectEncoder) error {
	e.AddString("inner", "has "+secret)
	e.AddInt("n", 3)
	return nil
}

type list []string

func (l list) MarshalLogArray(e zapcore.ArrayEncoder) error {
	for _, s := range l {
		e.AppendString(s)
	}
	return nil
}

// line is the whole log line that a write leaves, without its time.
func line(t *testing.T, write func(*zap.Logger)) map[string]any {
	t.Helper()
	path := filepath.Join(t.TempDir(), "host.log")
	log, done, err := New(Options{File: path, Level: "debug", Redact: redact.New(secret)})
	if err != nil {
		t.Fatal(err)
	}
	write(log)
	if err := done(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b, []byte(secret)) {
		t.Errorf("the secret is in the log: %s", b)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	if _, err := time.Parse(time.RFC3339Nano, m["time"].(string)); err != nil {
		t.Error(err)
	}
	delete(m, "time")
	return m
}

func TestEveryFieldPassesTheFunnel(t *testing.T) {
	s := "a " + secret + " b"
	const clean = "a [redacted] b"
	for _, tt := range []struct {
		name  string
		field zap.Field
		want  any
	}{
		{"string", zap.String("f", s), clean},
		{"byte string", zap.ByteString("f", []byte(s)), clean},
		{"error", zap.NamedError("f", fmt.Errorf("doing: %w", errors.New(s))), "doing: " + clean},
		{"stringer", zap.Stringer("f", named{s}), "<" + clean + ">"},
		{"struct", zap.Any("f", struct{ Inner []string }{[]string{s}}), map[string]any{"Inner": []any{clean}}},
		{"pointer", zap.Reflect("f", &named{s}), map[string]any{"Name": clean}},
		{"map key", zap.Any("f", map[string]int{secret: 1}), map[string]any{"[redacted]": float64(1)}},
		{"strings", zap.Strings("f", []string{s, "x"}), []any{clean, "x"}},
		{"errors", zap.Errors("f", []error{errors.New(s)}), []any{map[string]any{"error": clean}}},
		{"object", zap.Object("f", object{}), map[string]any{"inner": "has [redacted]", "n": float64(3)}},
		{"array", zap.Array("f", list{s}), []any{clean}},
		{"binary", zap.Binary("f", []byte(s)), "28 bytes"},
		{"not JSON", zap.Any("f", func() {}), nil},
		{"shape", zap.String("f", "Authorization: Bearer abcdefghijkl0123456789"), "Authorization: Bearer [redacted]"},
		{"number", zap.Int("f", 12), float64(12)},
		{"bool", zap.Bool("f", true), true},
		{"duration", zap.Duration("f", 1500*time.Millisecond), "1.5s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := line(t, func(l *zap.Logger) { l.Info("said "+secret, tt.field) })
			if tt.name == "not JSON" { // an address: only that a line came is asked
				delete(got, "f")
			}
			want := map[string]any{"level": "info", "msg": "said [redacted]", "f": tt.want}
			if tt.want == nil {
				delete(want, "f")
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestWithAndNamedPassTheFunnel(t *testing.T) {
	got := line(t, func(l *zap.Logger) {
		l.Named("bridge").With(zap.String(KeyChat, secret), zap.Inline(object{})).Debug("x")
	})
	want := map[string]any{"level": "debug", "part": "bridge", "msg": "x", "chat": "[redacted]",
		"": map[string]any{"inner": "has [redacted]", "n": float64(3)}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestLevel(t *testing.T) {
	var b bytes.Buffer
	log, _, err := New(Options{Level: "warn", Console: &b})
	if err != nil {
		t.Fatal(err)
	}
	log.Info("no")
	log.Warn("yes")
	_, after, _ := strings.Cut(b.String(), "\t")
	if want := "WARN\tyes\n"; after != want {
		t.Errorf("got %q, want %q", after, want)
	}
	for _, tt := range []struct {
		level   string
		console zapcore.Level
		want    [2]int // lines of debug, info, warn in the file and on the console
	}{
		{"info", zapcore.WarnLevel, [2]int{2, 1}},
		{"info", zapcore.InfoLevel, [2]int{2, 2}},
		{"debug", zapcore.WarnLevel, [2]int{3, 3}},
		{"warn", zapcore.InfoLevel, [2]int{1, 1}},
		{"error", zapcore.InfoLevel, [2]int{0, 0}},
	} {
		b.Reset()
		path := filepath.Join(t.TempDir(), "host.log")
		log, done, err := New(Options{Level: tt.level, File: path, Console: &b, ConsoleLevel: tt.console})
		if err != nil {
			t.Fatal(err)
		}
		log.Debug("d")
		log.Info("i")
		log.Warn("w")
		if err := done(); err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]int{bytes.Count(file, []byte("\n")), strings.Count(b.String(), "\n")}; got != tt.want {
			t.Errorf("%s, console %s: lines %v, want %v", tt.level, tt.console, got, tt.want)
		}
	}
	if _, _, err := New(Options{Level: "loud"}); err == nil {
		t.Error("a level that does not exist was taken")
	}
}

func TestFileIsPutAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "host.log")
	if err := os.WriteFile(path, []byte("old\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := openFile(path, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []string{"12345\n", "123456789abcdef\n", "x\n"} {
		if _, err := f.Write([]byte(l)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, p := range []string{path, path + ".1"} {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		i, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		got[filepath.Base(p)] = fmt.Sprintf("%o %s", i.Mode().Perm(), b)
	}
	want := map[string]string{"host.log": "600 x\n", "host.log.1": "600 123456789abcdef\n"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestOpenFails(t *testing.T) {
	if _, _, err := New(Options{File: filepath.Join(t.TempDir(), "no", "host.log")}); err == nil {
		t.Error("a file in a folder that does not exist was opened")
	}
}
