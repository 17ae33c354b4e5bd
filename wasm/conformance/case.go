package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// Case is one conversation with a host side.
type Case struct {
	Name  string // of its file, without the ending
	Says  string // which sentence of the design it holds
	Steps []Step

	archive *txtar.Archive
}

// Step is what is sent and what must come of it.
type Step struct {
	Send []string // lines of JSON
	Want []string // lines of JSON; nil: nothing is waited for
}

// scriptFile and linksFile are the archive's files that are not the case's own.
const (
	scriptFile = "script"
	linksFile  = "links"
)

// ReadCase reads a case's file.
func ReadCase(path string) (*Case, error) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return nil, err
	}
	c := &Case{
		Name:    strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)),
		Says:    strings.TrimSpace(string(archive.Comment)),
		archive: archive,
	}
	for _, f := range archive.Files {
		if f.Name == scriptFile {
			if c.Steps, err = parseScript(f.Data); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	if c.Says == "" || len(c.Steps) == 0 {
		return nil, fmt.Errorf("%s: a case says what it holds and has a script", path)
	}
	return c, nil
}

func parseScript(script []byte) ([]Step, error) {
	var steps []Step
	for i, line := range strings.Split(string(script), "\n") {
		text, sends := strings.CutPrefix(line, "> ")
		switch {
		case sends:
			if len(steps) == 0 || steps[len(steps)-1].Want != nil {
				steps = append(steps, Step{})
			}
			steps[len(steps)-1].Send = append(steps[len(steps)-1].Send, text)
		case strings.HasPrefix(line, "<") && len(steps) > 0:
			last := &steps[len(steps)-1]
			last.Want = append(last.Want, strings.TrimSpace(line[1:]))
		case strings.TrimSpace(line) != "" && line[0] != '#':
			return nil, fmt.Errorf("script line %d begins neither with > nor with <", i+1)
		}
	}
	return steps, nil
}

// unpack writes the case's files and links into dir.
func (c *Case) unpack(dir string) error {
	for _, f := range c.archive.Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		switch f.Name {
		case scriptFile:
		case linksFile:
			for line := range strings.Lines(string(f.Data)) {
				name, target, ok := strings.Cut(strings.TrimSpace(line), " -> ")
				if !ok {
					return fmt.Errorf("link %q is no name -> target", line)
				}
				link := filepath.Join(dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o700), os.Symlink(strings.ReplaceAll(target, "$DIR", dir), link)); err != nil {
					return err
				}
			}
		default:
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(path, f.Data, 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// rewrite puts what came back in the place of what the script wanted.
func (c *Case) rewrite(path string, got [][]string) error {
	var b bytes.Buffer
	for i, s := range c.Steps {
		for _, line := range s.Send {
			fmt.Fprintf(&b, "> %s\n", line)
		}
		for _, line := range got[i] {
			fmt.Fprintf(&b, "< %s\n", line)
		}
		if i < len(c.Steps)-1 {
			b.WriteByte('\n')
		}
	}
	for i := range c.archive.Files {
		if c.archive.Files[i].Name == scriptFile {
			c.archive.Files[i].Data = b.Bytes()
		}
	}
	return os.WriteFile(path, txtar.Format(c.archive), 0o644)
}

// strict decodes one JSON object and refuses members it does not know, so that a
// misspelt case cannot pass.
func strict(line string, into any) error {
	dec := json.NewDecoder(strings.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("reading %s: %w", line, err)
	}
	return nil
}
