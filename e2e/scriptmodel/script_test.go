package scriptmodel

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, message string
		want          Script
	}{
		{"none", "list the files", Script{}},
		{"a shebang is no script", "write #!/bin/sh", Script{}},
		{"one line", "#! THINK hm / CALL bash {\"command\":\"ls / \"} / THEN / SAY done", Script{
			Text: "THINK hm / CALL bash {\"command\":\"ls / \"} / THEN / SAY done",
			Steps: [][]Action{
				{{Op: OpThink, Text: "hm"}, {Op: OpCall, Tool: "bash", Args: `{"command":"ls / "}`}},
				{{Op: OpSay, Text: "done"}},
			}}},
		{"after words, more lines, others left out", "please #! SAY a\nnot mine\n#! HOLD h\n#! SAY \"b / c\\n\"\n", Script{
			Text:  "SAY a\nHOLD h\nSAY \"b / c\\n\"",
			Steps: [][]Action{{{Op: OpSay, Text: "a"}, {Op: OpHold, Text: "h"}, {Op: OpSay, Text: "b / c\n"}}}}},
		{"faults", "#! ERR 429 x2 slow down / ERR 400 overflow / CUT x1 / HANG", Script{
			Text: "ERR 429 x2 slow down / ERR 400 overflow / CUT x1 / HANG",
			Steps: [][]Action{{{Op: OpErr, N: 429, Times: 2, Text: "slow down"}, {Op: OpErr, N: 400, Text: "overflow"},
				{Op: OpCut, Times: 1}, {Op: OpHang}}}}},
		{"the rest", "#! STREAM 3 a b / SLEEP 5 / USAGE {\"prompt_tokens\":9} / FINISH length / CALL bash \"no json\"", Script{
			Text: "STREAM 3 a b / SLEEP 5 / USAGE {\"prompt_tokens\":9} / FINISH length / CALL bash \"no json\"",
			Steps: [][]Action{{{Op: OpStream, N: 3, Text: "a b"}, {Op: OpSleep, N: 5}, {Op: OpUsage, Args: `{"prompt_tokens":9}`},
				{Op: OpFinish, Text: "length"}, {Op: OpCall, Tool: "bash", Args: "no json"}}}}},
		{"resumed", "#! RESUME 2\n#! SAY a / THEN / SAY b", Script{
			Text: "RESUME 2\nSAY a / THEN / SAY b", Skip: 2, Steps: [][]Action{{{Op: OpSay, Text: "a"}}, {{Op: OpSay, Text: "b"}}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Script{}
			if text := Find(tt.message); text != "" {
				var err error
				if got, err = Parse(text); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("script (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for script, want := range map[string]string{
		"SHOUT x":                     "script: SHOUT x: is no directive",
		"SAY":                         "script: SAY: wants a text",
		"CALL bash":                   "script: CALL bash: wants a tool's name and its arguments",
		"CALL bash ls":                "script: CALL bash ls: wants its arguments as a JSON object or string",
		`CALL bash {"a":`:             `script: CALL bash {"a":: cannot read the JSON: unexpected EOF`,
		`SAY "a" b`:                   `script: SAY "a" b: "b" after the JSON`,
		"SLEEP":                       "script: SLEEP: wants a number",
		"SLEEP 5 6":                   "script: SLEEP 5 6: has too much after it",
		"ERR 200":                     "script: ERR 200: wants a status from 400 to 599",
		"USAGE 5":                     "script: USAGE 5: wants a JSON object",
		"THEN now":                    "script: THEN now: has too much after it",
		"say " + "x":                  "script: say x: is no directive",
		"STREAM -1":                   "script: STREAM -1: wants a number",
		"SAY ok / HANG x2 / CUT soon": "script: CUT soon: has too much after it",
	} {
		_, err := Parse(script)
		if err == nil || firstLine(err.Error()) != want {
			t.Errorf("Parse(%q): got %v, want %s", script, err, want)
		}
	}
}

// What the builders write must be read back as meant, whatever the text holds.
func TestBuild(t *testing.T) {
	child := Steps(Write("a / b.txt", "x\n#! y"), Say("child done"))
	text := Steps(
		Step(Think("a / b"), Helper("d", child, true), Bash("echo '<&>' / \"q\"")),
		Step(Hold("gate 1"), Say("two\nlines ")),
	)
	got, err := Parse(Find("do this: " + text))
	if err != nil {
		t.Fatal(err)
	}
	want := [][]Action{
		{{Op: OpThink, Text: "a / b"},
			{Op: OpCall, Tool: "subagent", Args: `{"description":"d","prompt":` + quote(child) + `,"run_in_background":true}`},
			{Op: OpCall, Tool: "bash", Args: `{"command":"echo '<&>' / \"q\"","description":"run echo '<&>' / \"q\""}`}},
		{{Op: OpHold, Text: "gate 1"}, {Op: OpSay, Text: "two\nlines "}},
	}
	if diff := cmp.Diff(want, got.Steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

// FuzzParse: no text makes the parser fail otherwise than with an error, and
// what it takes has no directive that it does not know.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"SAY a / THEN / CALL b {}", "ERR 429 x3 / CUT", "CALL a \"x\" / SAY \"\\u0000\"", "/ / /", "STREAM 2 a\nHOLD b"} {
		f.Add(s)
	}
	known := "THINK SAY STREAM CALL HOLD SLEEP HANG CUT ERR USAGE FINISH"
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		if len(s.Steps) == 0 {
			t.Fatal("a script without a step")
		}
		for _, step := range s.Steps {
			for _, a := range step {
				if !strings.Contains(known, string(a.Op)) {
					t.Fatalf("unknown directive %q", a.Op)
				}
			}
		}
	})
}
