package scriptmodel

import (
	"fmt"
	"regexp"
	"strings"
)

// once makes one call.
func once(first func(m []string) []call) func([]string, []Result) []call {
	return steps(func(m []string, _ []Result) []call { return first(m) })
}

// steps makes one call after the other, as long as none fails.
func steps(each ...func(m []string, done []Result) []call) func([]string, []Result) []call {
	return func(m []string, done []Result) []call {
		if _, failed := failure(done); failed || len(done) >= len(each) {
			return nil
		}
		return each[len(done)](m, done)
	}
}

func args(pairs ...any) map[string]any {
	out := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i].(string)] = pairs[i+1]
	}
	return out
}

func bash(command, description string) call {
	return call{"bash", args("command", command, "description", description), description + "."}
}

func read(path string) call { return call{"read", args("file_path", path), "I read " + path + "."} }

// write writes a file; one that exists must have been read before it may be
// replaced.
func write(path, text string, done []Result) []call {
	if text == "" {
		text = "Hello from the demo model."
	}
	put := call{"write", args("file_path", path, "content", text+"\n"), "I write " + path + "."}
	switch len(done) {
	case 0:
		return []call{put}
	case 1:
		if reason, failed := done[0].Failed(); failed && strings.Contains(reason, "without reading it first") {
			return []call{read(path)}
		}
	case 2:
		if _, failed := done[1].Failed(); !failed {
			return []call{put}
		}
	}
	return nil
}

// runners say how the tests of a folder are run, by a file in it.
var runners = []struct{ file, command string }{
	{"go.mod", "go test ./..."},
	{"package.json", "npm test"},
	{"Cargo.toml", "cargo test"},
	{"pyproject.toml", "python3 -m pytest"},
	{"test.sh", "sh test.sh"},
	{"Makefile", "make test"},
}

var runTests = steps(
	func([]string, []Result) []call { return []call{bash("ls", "See how the tests are run")} },
	func(_ []string, done []Result) []call {
		names := strings.Fields(last(done))
		for _, r := range runners {
			for _, name := range names {
				if name == r.file {
					return []call{bash(r.command, "Run the tests")}
				}
			}
		}
		return nil
	})

func last(done []Result) string {
	if len(done) == 0 {
		return ""
	}
	return strings.TrimRight(done[len(done)-1].Text, "\n")
}

// outcome tells a command that failed from one that did its work.
func outcome(done []Result, good string) string {
	if text := last(done); strings.Contains(text, "[exit code: ") {
		return "That did not work:\n\n" + fence(text)
	}
	return good
}

func listing(text string) string {
	names := strings.Fields(text)
	if text == "(no output)" || len(names) == 0 {
		return "The folder is empty."
	}
	if len(names) == 1 {
		return "There is one thing here: " + names[0] + "."
	}
	return fmt.Sprintf("There are %d things here: %s and %s.", len(names), strings.Join(names[:len(names)-1], ", "), names[len(names)-1])
}

var (
	fileContent = regexp.MustCompile(`(?s)<content>\n(.*?)\n*(?:\(End of file[^\n]*\)\n)?</content>`)
	lineNumber  = regexp.MustCompile(`(?m)^\d+: `)
)

// fileText takes the file's text out of what the tool read answers.
func fileText(text string) string {
	if m := fileContent.FindStringSubmatch(text); m != nil {
		text = lineNumber.ReplaceAllString(m[1], "")
	}
	return strings.TrimRight(text, "\n")
}

// maxQuote is how much of a result an answer repeats, in bytes.
const maxQuote = 2000

func fence(text string) string { return "```\n" + shorten(text, maxQuote) + "\n```" }

// document completes a name like README.
func document(name string) string {
	if !strings.Contains(name, ".") {
		return name + ".md"
	}
	return name
}

var plainWord = regexp.MustCompile(`^[\w./-]+$`)

// shell quotes a word for bash where it must be.
func shell(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func unquote(text string) string { return strings.Trim(text, "\"'`“”") }
