package scriptmodel

import (
	"regexp"
	"strings"
)

// file matches a file's name: with an ending, or in capitals as README.
const file = "[\"'`“]?((?-i:(?:[\\w.-]+/)*(?:[\\w-]*\\.\\w[\\w.-]*|[A-Z]{4,})))[\"'`”]?"

// rules are looked through from the first; the last fits all.
var rules = []rule{
	{
		name:  "helper",
		match: regexp.MustCompile(`(?i)^(?:ask|let|tell|have|use) (?:a|the|an?other|some) ?(?:helper|subagent|agent)(?: agent)?(?: to)? (.+)`),
		examples: []example{
			{"Ask a helper to list the files here.", `subagent {"description":"list the files here","prompt":"list the files here","run_in_background":false}`},
		},
		next: once(func(m []string) []call {
			return []call{{"subagent", args("description", shorten(m[1], 40), "prompt", m[1], "run_in_background", false), "A helper can do this on its own."}}
		}),
		answer: func(_ []string, done []Result) string { return "The helper says:\n\n" + last(done) },
	},
	{
		name:  "web",
		match: regexp.MustCompile(`(?i)^(?:search|look) (?:on |in |through )?(?:the )?(?:web|internet|online) for (.+)`),
		examples: []example{
			{"search the web for Go 1.26", `web_search {"queries":["Go 1.26"]}`},
		},
		next: once(func(m []string) []call {
			return []call{{"web_search", args("queries", []string{unquote(m[1])}), "This needs the web."}}
		}),
		answer: func(_ []string, done []Result) string { return "This is what I found:\n\n" + fence(last(done)) },
	},
	{
		name:  "tests",
		match: regexp.MustCompile(`(?i)^(?:run|execute|start) (?:all |the |all the |my )?tests?\b|^(?:do the )?tests? pass\b|^test (?:it|this|everything)`),
		examples: []example{
			{"Run the tests", `bash {"command":"ls","description":"See how the tests are run"}`},
			{"can you run all tests please?", `bash {"command":"ls","description":"See how the tests are run"}`},
			{"do the tests pass?", `bash {"command":"ls","description":"See how the tests are run"}`},
		},
		next: runTests,
		answer: func(_ []string, done []Result) string {
			if len(done) < 2 {
				return "I see no tests here that I know how to run."
			}
			if strings.Contains(last(done), "[exit code: ") {
				return "The tests fail:\n\n" + fence(last(done))
			}
			return "The tests pass:\n\n" + fence(last(done))
		},
	},
	{
		name:  "run",
		match: regexp.MustCompile("(?i)^(?:run|execute)(?: the command)?:? [`\"“]?([a-z][^`\"“”]*)[`\"”]?$"),
		examples: []example{
			{"run `date -u`", `bash {"command":"date -u","description":"Run date -u"}`},
			{"Run the command touch a.txt", `bash {"command":"touch a.txt","description":"Run touch a.txt"}`},
		},
		next: once(func(m []string) []call {
			return []call{bash(m[1], "Run "+shorten(m[1], 40))}
		}),
		answer: func(m []string, done []Result) string { return "`" + m[1] + "` gave:\n\n" + fence(last(done)) },
	},
	{
		name:  "changes",
		match: regexp.MustCompile(`(?i)^what (?:has |have (?:i|you|we) |did (?:i|you|we) )?changed?\b|\bdiff$|^git (?:status|diff)|^what is new here|^show (?:me )?(?:the |my |your )?changes`),
		examples: []example{
			{"What changed?", `bash {"command":"git status --short","description":"See which files changed"}`},
			{"show me the diff", `bash {"command":"git status --short","description":"See which files changed"}`},
			{"what did you change?", `bash {"command":"git status --short","description":"See which files changed"}`},
		},
		next: steps(
			func([]string, []Result) []call { return []call{bash("git status --short", "See which files changed")} },
			func(_ []string, done []Result) []call {
				if text := last(done); text == "(no output)" || strings.Contains(text, "[exit code: ") {
					return nil
				}
				return []call{bash("git diff", "See what changed in them")}
			}),
		answer: func(_ []string, done []Result) string {
			switch text := done[0].Text; {
			case strings.Contains(text, "[exit code: "):
				return "I cannot tell: this folder is not under git."
			case text == "(no output)":
				return "Nothing has changed since the last commit."
			default:
				return "These files changed:\n\n" + fence(text) + "\n\nIn detail:\n\n" + fence(last(done))
			}
		},
	},
	{
		name:  "folder",
		match: regexp.MustCompile(`(?i)^(?:make|create|add) (?:a |the )?(?:new )?(?:folder|directory)(?: called| named)? ["']?([\w./-]+)`),
		examples: []example{
			{"make a folder called notes", `bash {"command":"mkdir -p notes","description":"Make the folder notes"}`},
		},
		next:   once(func(m []string) []call { return []call{bash("mkdir -p "+shell(m[1]), "Make the folder "+m[1])} }),
		answer: func(m []string, done []Result) string { return outcome(done, "The folder "+m[1]+" is there now.") },
	},
	{
		name:  "move",
		match: regexp.MustCompile(`(?i)^(?:rename|move)(?: the)?(?: file)? ` + file + ` (?:to|into|as) ["']?([\w./-]+)["']?`),
		examples: []example{
			{"rename hello.txt to bye.txt", `bash {"command":"mv -- hello.txt bye.txt","description":"Move hello.txt to bye.txt"}`},
		},
		next: once(func(m []string) []call {
			return []call{bash("mv -- "+shell(m[1])+" "+shell(m[2]), "Move "+m[1]+" to "+m[2])}
		}),
		answer: func(m []string, done []Result) string { return outcome(done, m[1]+" is now "+m[2]+".") },
	},
	{
		name:  "delete",
		match: regexp.MustCompile(`(?i)^(?:delete|remove|rm|throw away|get rid of)(?: the)?(?: file)? ` + file),
		examples: []example{
			{"delete hello.txt", `bash {"command":"rm -- hello.txt","description":"Delete hello.txt"}`},
			{"Please remove the file notes/todo.md!", `bash {"command":"rm -- notes/todo.md","description":"Delete notes/todo.md"}`},
		},
		next:   once(func(m []string) []call { return []call{bash("rm -- "+shell(m[1]), "Delete "+m[1])} }),
		answer: func(m []string, done []Result) string { return outcome(done, m[1]+" is deleted.") },
	},
	{
		name:  "replace",
		match: regexp.MustCompile("(?i)^(?:replace|change) [\"'`“]?(.+?)[\"'`”]? (?:by|with|to|into) [\"'`“]?(.+?)[\"'`”]? in (?:the )?(?:file )?" + file),
		examples: []example{
			{`replace "Hello" with "Good day" in greet.go`, `read {"file_path":"greet.go"}`},
		},
		next: steps(
			func(m []string, _ []Result) []call { return []call{read(m[3])} },
			func(m []string, _ []Result) []call {
				return []call{{"edit", args("file_path", m[3], "old_string", m[1], "new_string", m[2]), "Now I can change it."}}
			}),
		answer: func(m []string, _ []Result) string { return "In " + m[3] + " it now says " + m[2] + "." },
	},
	{
		name:  "write this",
		match: regexp.MustCompile("(?i)^(?:write|put|save) (?:the (?:text|words) )?[\"'`“](.+?)[\"'`”] (?:to|into|in) (?:the |a )?(?:new )?(?:file )?(?:called |named )?" + file),
		examples: []example{
			{`write "good morning" to hello.txt`, `write {"content":"good morning\n","file_path":"hello.txt"}`},
		},
		next:   func(m []string, done []Result) []call { return write(m[2], m[1], done) },
		answer: func(m []string, _ []Result) string { return "I wrote " + m[2] + "." },
	},
	{
		name: "write",
		match: regexp.MustCompile("(?i)^(?:write|create|make|add|save)(?: me)?(?: a| the)?(?: new)?(?: text)?(?: file)?(?: called| named)? " + file +
			"(?:,? (?:with|saying|that says|which says|containing|and put|that contains)(?: the)?(?: text| content| contents| words| line)?(?: in it)?:? [\"'`“]?(.+?)[\"'`”]?)?(?: in it| into it)?$"),
		examples: []example{
			{"write hello.txt", `write {"content":"Hello from the demo model.\n","file_path":"hello.txt"}`},
			{"Write hello.txt with the text good morning.", `write {"content":"good morning\n","file_path":"hello.txt"}`},
			{`could you create a file called notes/todo.md that says "buy milk"?`, `write {"content":"buy milk\n","file_path":"notes/todo.md"}`},
			{"make a new file hello.txt", `write {"content":"Hello from the demo model.\n","file_path":"hello.txt"}`},
			{"Please add a.txt, saying: one two", `write {"content":"one two\n","file_path":"a.txt"}`},
		},
		next:   func(m []string, done []Result) []call { return write(m[1], m[2], done) },
		answer: func(m []string, _ []Result) string { return "I wrote " + m[1] + "." },
	},
	{
		name:  "search",
		match: regexp.MustCompile("(?i)^(?:search|grep|look|find|where)(?: through| in)?(?: all| the)?(?: the)?(?: code| files?)?(?: is| are| do you find| does it say)?(?: for)?(?: the word| the text| all uses of)? [\"'`“]?(.+?)[\"'`”]?(?: used| written)?(?: in (?:the |this )?(?:code|files?|folder|project|here)| here)?$"),
		examples: []example{
			{"search for TODO", `grep {"pattern":"TODO"}`},
			{"grep TODO", `grep {"pattern":"TODO"}`},
			{`find "good morning" in the code`, `grep {"pattern":"good morning"}`},
			{"Where is Greet used?", `grep {"pattern":"Greet"}`},
			{"look for the word milk in this folder", `grep {"pattern":"milk"}`},
		},
		next: once(func(m []string) []call {
			why := "I look through the files for it."
			return []call{{"grep", args("pattern", regexp.QuoteMeta(m[1])), why}, bash("grep -rn -- "+shell(m[1])+" .", why)}
		}),
		answer: func(m []string, done []Result) string {
			if text := last(done); text != "No matches found" && !strings.Contains(text, "[exit code: 1]") {
				return "This is where I found " + m[1] + ":\n\n" + fence(text)
			}
			return "I did not find " + m[1] + " here."
		},
	},
	{
		name:  "read",
		match: regexp.MustCompile(`(?i)^(?:what(?:'s| is| does| stands)|read|show|open|cat|print|view|look at|explain|summarize|summarise)(?: me)?(?: written)?(?: in| at)?(?: the)?(?: contents? of)?(?: the)?(?: file)? ` + file + `(?: say| contain| about)?`),
		examples: []example{
			{"what is in README", `read {"file_path":"README.md"}`},
			{"What's in the README?", `read {"file_path":"README.md"}`},
			{"what does notes/todo.md say", `read {"file_path":"notes/todo.md"}`},
			{"read greet.go", `read {"file_path":"greet.go"}`},
			{"show me the contents of the file hello.txt", `read {"file_path":"hello.txt"}`},
		},
		next: once(func(m []string) []call {
			return []call{read(document(m[1])), bash("cat -- "+shell(document(m[1])), "I read it.")}
		}),
		answer: func(m []string, done []Result) string {
			return document(m[1]) + " says:\n\n" + fence(fileText(last(done)))
		},
	},
	{
		name:  "list",
		match: regexp.MustCompile(`(?i)^(?:ls|dir)$|^(?:list|show)(?: me)?(?: all)?(?: of)?(?: the| my| your)? ?(?:files|folder|directory|everything|contents)|^(?:what|which)(?: other)? files\b|^what(?:'s| is| do (?:you|we) have)? (?:all )?(?:in (?:this|the) (?:folder|directory|workspace|project)|here)$|^list$`),
		examples: []example{
			{"list the files here", `bash {"command":"ls","description":"List the files here"}`},
			{"ls", `bash {"command":"ls","description":"List the files here"}`},
			{"Which files are there?", `bash {"command":"ls","description":"List the files here"}`},
			{"what's in this folder?", `bash {"command":"ls","description":"List the files here"}`},
			{"Show me all files, please", `bash {"command":"ls","description":"List the files here"}`},
		},
		next:   once(func([]string) []call { return []call{bash("ls", "List the files here")} }),
		answer: func(_ []string, done []Result) string { return listing(last(done)) },
	},
	{
		name:     "thanks",
		match:    regexp.MustCompile(`(?i)^(?:thanks|thank you|thx|great|well done|nice|good|perfect|cool)\b`),
		examples: []example{{"Thank you!", ""}, {"great", ""}},
		answer:   func([]string, []Result) string { return "You are welcome." },
	},
	{
		name:     "anything else",
		match:    regexp.MustCompile(``),
		examples: []example{{"hello", ""}, {"What can you do?", ""}, {"", ""}, {"sing a song", ""}},
		answer:   func([]string, []Result) string { return Abilities },
	},
}

// Abilities is what the demo says when it does not know what is wanted.
const Abilities = "I am the demo model that comes with Strata: a small program, no AI, but the agent and its tools are real. " +
	"Try: “list the files here”, “what is in README”, “write hello.txt with the text good morning”, “search for TODO”, " +
	"“run the tests”, “what changed”, “delete hello.txt”, or “ask a helper to list the files here”."
