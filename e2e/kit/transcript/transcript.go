package transcript

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write transcripts instead of comparing with them")

// Transcript is a txtar file that a test compares with or, under -update, writes.
type Transcript struct {
	Normaliser
	file string
	got  txtar.Archive
}

// New begins the transcript in a file. The comment says what is shown.
func New(file, comment string) *Transcript {
	return &Transcript{file: file, got: txtar.Archive{Comment: []byte(comment + "\n")}}
}

// Text adds a part of plain text.
func (tr *Transcript) Text(name, text string) { tr.add(name, tr.Normaliser.Text(text)) }

// JSON adds a part of JSON, a line for each value.
func (tr *Transcript) JSON(name string, values ...any) error {
	var out bytes.Buffer
	for _, v := range values {
		data, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("transcript %s: %w", name, err)
		}
		line, err := tr.Normaliser.JSON(data)
		if err != nil {
			return fmt.Errorf("transcript %s: %w", name, err)
		}
		out.WriteString(line + "\n")
	}
	tr.add(name, out.String())
	return nil
}

func (tr *Transcript) add(name, text string) {
	if text != "" && text[len(text)-1] != '\n' {
		text += "\n"
	}
	tr.got.Files = append(tr.got.Files, txtar.File{Name: name, Data: []byte(text)})
}

// Check compares with the file, or writes it under -update. A transcript without
// a part is a mistake of the test.
func (tr *Transcript) Check(t testing.TB) {
	t.Helper()
	if len(tr.got.Files) == 0 {
		t.Fatalf("the transcript %s has no part", tr.file)
	}
	got := txtar.Format(&tr.got)
	if *update {
		if err := os.MkdirAll(filepath.Dir(tr.file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(tr.file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(tr.file)
	if err != nil {
		t.Fatalf("%v (write it with -update)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", tr.file, diff)
	}
}
