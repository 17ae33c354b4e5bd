package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/tools/txtar"
)

//go:embed seed.txtar
var seedFiles []byte

// seed puts the demo's files into a workspace that is empty or not there, and
// tells whether it did.
func seed(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("looking into the workspace: %w", err)
	}
	if len(entries) > 0 {
		return false, nil
	}
	for _, f := range txtar.Parse(seedFiles).Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return false, fmt.Errorf("filling the workspace: %w", err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			return false, fmt.Errorf("filling the workspace: %w", err)
		}
	}
	commit(dir)
	return true, nil
}

// commit puts the files under git, so that "what changed" has something to say.
// Without git the demo does without.
func commit(dir string) {
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "."},
		{"-c", "user.name=Strata", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "First files"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if cmd.Run() != nil {
			return
		}
	}
}
