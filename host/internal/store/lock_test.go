package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const holdEnv = "STORE_TEST_HOLD"

// TestMain lets the test binary be the other process that holds a lock.
func TestMain(m *testing.M) {
	path := os.Getenv(holdEnv)
	if path == "" {
		os.Exit(m.Run())
	}
	l, err := Acquire(path)
	if err == nil {
		err = l.SetNote([]byte("held by another"))
	}
	fmt.Println(err)
	_, _ = io.Copy(io.Discard, os.Stdin) // until killed
}

func TestLockIsFreedByAKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d", "lock")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdEnv+"="+path)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, len("<nil>\n"))
	if _, err := io.ReadFull(stdout, said); err != nil || string(said) != "<nil>\n" {
		t.Fatalf("the holder said %q, %v", said, err)
	}
	if _, err := Acquire(path); !errors.Is(err, ErrLocked) {
		t.Fatalf("while held: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	l, err := Acquire(path)
	if err != nil {
		t.Fatal(err)
	}
	wantNote(t, l, "held by another")
}

func TestLockWithinOneProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	l, err := Acquire(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Acquire(path); !errors.Is(err, ErrLocked) {
		t.Fatalf("second: %v", err)
	}
	if err := l.SetNote([]byte("a long first note")); err != nil {
		t.Fatal(err)
	}
	if err := l.SetNote([]byte("short")); err != nil {
		t.Fatal(err)
	}
	if err := l.SetNote(bytes.Repeat([]byte("x"), maxNote+1)); err == nil {
		t.Error("a note that is too long was taken")
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	l, err = Acquire(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	wantNote(t, l, "short")
}

func wantNote(t *testing.T, l *Lock, want string) {
	t.Helper()
	got, err := l.Note()
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("note %q, want %q", got, want)
	}
}

func TestHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "lock")
	look := func(want string, held bool) {
		t.Helper()
		note, got, err := Holder(path)
		if err != nil || got != held || string(note) != want {
			t.Errorf("note %q, held %v, %v; want %q, %v", note, got, err, want, held)
		}
	}
	look("", false)
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		t.Error("looking made a folder")
	}
	l, err := Acquire(path)
	if err != nil {
		t.Fatal(err)
	}
	look("", true)
	if err := l.SetNote([]byte("here")); err != nil {
		t.Fatal(err)
	}
	look("here", true)
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	look("", false)
	if l, err = Acquire(path); err != nil { // and looking does not keep it
		t.Fatal(err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
}
