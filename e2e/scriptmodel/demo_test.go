package scriptmodel

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// offered are the tools of a real request of the pinned Harness.
func offered(t *testing.T) []Tool {
	t.Helper()
	data, err := os.ReadFile("testdata/tools.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []Tool
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func firstCall(actions []Action) string {
	for _, a := range actions {
		if a.Op == OpCall {
			return a.Tool + " " + a.Args
		}
	}
	return ""
}

// Every rule's own examples lead to the rule and to the call that stands beside
// them, in the Harness's own schema.
func TestDemoExamples(t *testing.T) {
	tools := toolset(offered(t))
	for _, r := range rules {
		if len(r.examples) == 0 {
			t.Errorf("rule %q has no example", r.name)
		}
		for _, e := range r.examples {
			if got, _ := ruleFor(e.text); got.name != r.name {
				t.Errorf("%q: rule %q, want %q", e.text, got.name, r.name)
				continue
			}
			if diff := cmp.Diff(e.call, firstCall(demo(Conversation{Person: e.text}, tools))); diff != "" {
				t.Errorf("%q (-want +got):\n%s", e.text, diff)
			}
			if upper, _ := ruleFor("  " + strings.ToUpper(e.text[:min(1, len(e.text))]) + e.text[min(1, len(e.text)):] + " "); upper.name != r.name {
				t.Errorf("%q with a capital: rule %q", e.text, upper.name)
			}
		}
	}
}

// A call never lacks what its tool's schema requires.
func TestDemoRequiredArguments(t *testing.T) {
	tools := toolset(offered(t))
	for _, r := range rules {
		for _, e := range r.examples {
			for _, a := range demo(Conversation{Person: e.text}, tools) {
				if a.Op != OpCall {
					continue
				}
				var args map[string]any
				if err := json.Unmarshal([]byte(a.Args), &args); err != nil {
					t.Fatal(err)
				}
				for _, name := range tools[a.Tool].Required {
					if _, ok := args[name]; !ok {
						t.Errorf("%q: %s without %s", e.text, a.Tool, name)
					}
				}
			}
		}
	}
}

// What the demo does next, by what the tools answered so far.
func TestDemoConversations(t *testing.T) {
	type turn = []string // results so far
	const overwrite = `Error: cannot overwrite existing "/w/hello.txt" without reading it first — read the file, then retry`
	for _, tt := range []struct {
		text    string
		results turn
		want    string
	}{
		{"list the files here", turn{"a.txt\nb\n"}, "There are 2 things here: a.txt and b."},
		{"list the files here", turn{"(no output)"}, "The folder is empty."},
		{"what is in README", turn{"<path>/w/README.md</path>\n<type>file</type>\n<content>\n1: # Hi\n2: there\n\n(End of file - total 2 lines)\n</content>"}, "README.md says:\n\n```\n# Hi\nthere\n```"},
		{"what is in README", turn{`Error: cannot read "/w/README.md": not found`}, `That did not work: cannot read "/w/README.md": not found`},
		{"write hello.txt", turn{"<content>\nCreated file\n</content>"}, "I wrote hello.txt."},
		{"write hello.txt", turn{"Error: The person denied this. Their note: call it bye.txt"}, "All right, I have not done that. I was told: The person denied this. Their note: call it bye.txt"},
		{"write hello.txt", turn{overwrite}, `read {"file_path":"hello.txt"}`},
		{"write hello.txt", turn{overwrite, "x"}, `write {"content":"Hello from the demo model.\n","file_path":"hello.txt"}`},
		{"write hello.txt", turn{overwrite, "x", "ok"}, "I wrote hello.txt."},
		{"run the tests", turn{"go.mod\nx.go\n"}, `bash {"command":"go test ./...","description":"Run the tests"}`},
		{"run the tests", turn{"x.go\n"}, "I see no tests here that I know how to run."},
		{"run the tests", turn{"go.mod", "ok x 0.1s"}, "The tests pass:\n\n```\nok x 0.1s\n```"},
		{"run the tests", turn{"go.mod", "FAIL\n[exit code: 1]"}, "The tests fail:\n\n```\nFAIL\n[exit code: 1]\n```"},
		{"what changed", turn{" M a"}, `bash {"command":"git diff","description":"See what changed in them"}`},
		{"what changed", turn{"(no output)"}, "Nothing has changed since the last commit."},
		{"what changed", turn{"fatal: not a git repository\n[exit code: 128]"}, "I cannot tell: this folder is not under git."},
		{"what changed", turn{" M a", "+x"}, "These files changed:\n\n```\n M a\n```\n\nIn detail:\n\n```\n+x\n```"},
		{"delete a.txt", turn{"rm: no such file\n[exit code: 1]"}, "That did not work:\n\n```\nrm: no such file\n[exit code: 1]\n```"},
		{"delete a.txt", turn{`Error: the user rejected tool "bash"`}, `All right, I have not done that. I was told: the user rejected tool "bash"`},
		{"search for TODO", turn{"No matches found"}, "I did not find TODO here."},
		{"replace one with two in a.txt", turn{"1: one"}, `edit {"file_path":"a.txt","new_string":"two","old_string":"one"}`},
		{"ask a helper to list the files here", turn{"There is one thing here: a."}, "The helper says:\n\nThere is one thing here: a."},
		{"hello", nil, Abilities},
		{"delete everything", nil, Abilities},
	} {
		c := Conversation{Person: tt.text, Served: len(tt.results)}
		for i, text := range tt.results {
			id := string(rune('a' + i))
			c.After = append(c.After,
				Message{Role: "assistant", ToolCalls: []ToolCall{{ID: id, Function: FunctionCall{Name: "x", Arguments: "{}"}}}},
				Message{Role: "tool", ToolCallID: id, Content: Content(text)})
		}
		actions := demo(c, toolset(offered(t)))
		got := firstCall(actions)
		if got == "" {
			got = actions[len(actions)-1].Text
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q after %q (-want +got):\n%s", tt.text, tt.results, diff)
		}
	}
}

// Without the tool it knows of, the demo takes another or says so.
func TestDemoOtherTools(t *testing.T) {
	var bashOnly []Tool
	for _, tool := range offered(t) {
		if tool.Function.Name == "bash" {
			bashOnly = append(bashOnly, tool)
		}
	}
	for text, want := range map[string]string{
		"what is in README": `bash {"command":"cat -- README.md","description":"I read it."}`,
		"search for it's":   `bash {"command":"grep -rn -- 'it'\\''s' .","description":"I look through the files for it."}`,
		"write hello.txt":   "",
	} {
		if got := firstCall(demo(Conversation{Person: text}, toolset(bashOnly))); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	schema := Schema{Properties: map[string]json.RawMessage{"path": nil, "content": nil}}
	got := demo(Conversation{Person: "write hello.txt"}, tools{"write": schema})
	if want := `write {"content":"Hello from the demo model.\n","path":"hello.txt"}`; firstCall(got) != want {
		t.Errorf("got %s, want %s", firstCall(got), want)
	}
}
