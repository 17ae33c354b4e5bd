package pwsh

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// seeds are the corpus's rows of PowerShell.
func seeds(f *testing.F) {
	file, err := os.Open("../testdata/corpus.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	defer file.Close()
	n := 0
	for s := bufio.NewScanner(file); s.Scan(); {
		var row struct{ Shell, Command string }
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			f.Fatal(err)
		}
		if row.Shell == "pwsh" {
			f.Add(row.Command)
			n++
		}
	}
	if n < 100 {
		f.Fatalf("only %d rows", n)
	}
}

func allowed(src string, windows bool) bool {
	for _, p := range Judge(src, windows) {
		if !p.Match.OK {
			return false
		}
	}
	return true
}

// Whatever a model writes, each part gets a rule, and a reason where it asks.
func FuzzJudge(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src string) {
		for _, windows := range []bool{false, true} {
			parts := Judge(src, windows)
			if len(parts) == 0 {
				t.Errorf("%q: no part", src)
			}
			for _, p := range parts {
				if p.Match.Rule == "" || p.Match.OK != p.Match.Reason.None() {
					t.Errorf("%q: %+v", src, p)
				}
			}
		}
	})
}

// Quoting the words of a line differently never turns what asks into what does
// not. Words whose meaning quotes change are left out: file patterns, numbers, and
// options that are split in two when bare.
func FuzzQuotingNeverAllows(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src string) {
		commands, problem := parse(src)
		if !problem.None() {
			return
		}
		for _, windows := range []bool{false, true} {
			if allowed(src, windows) {
				continue
			}
			for _, quote := range []string{"'", `"`} {
				if again, ok := quotedAnew(commands, quote); ok && allowed(again, windows) {
					t.Errorf("%q asks, %q does not", src, again)
				}
			}
		}
	})
}

// quotedAnew writes commands with all words but the first of each quoted.
func quotedAnew(commands []command, quote string) (string, bool) {
	var out strings.Builder
	for i, c := range commands {
		switch {
		case c.piped:
			out.WriteString(" | ")
		case i > 0:
			out.WriteString("; ")
		}
		for j, a := range c.args {
			for k, w := range a.items {
				split := option(w.text) && strings.ContainsAny(w.text, ".:")
				if split || strings.ContainsAny(w.text, "*?[") || numeric(w.text) || quote == `"` && strings.Contains(w.text, "$") {
					return "", false
				}
				switch {
				case k > 0:
					out.WriteString(",")
				case j > 0:
					out.WriteString(" ")
				}
				text := quote + strings.ReplaceAll(w.text, quote, quote+quote) + quote
				if j == 0 && w.bare {
					text = w.text
				}
				out.WriteString(text)
			}
		}
	}
	return out.String(), true
}

// Adding a command never turns what asks into what does not.
func FuzzMoreCommandsNeverAllow(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src string) {
		if _, problem := parse(src); !problem.None() || allowed(src, true) {
			return
		}
		for _, more := range []string{"pwd; " + src, "pwd\n" + src, src + "; pwd", src + " | Out-Null", src + " 2>$null"} {
			if allowed(more, true) {
				t.Errorf("%q asks, %q does not", src, more)
			}
		}
	})
}
