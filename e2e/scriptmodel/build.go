package scriptmodel

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Steps writes a script: the steps, each made of directives, parted by THEN.
//
//	Steps(Step(Call("bash", args)), Step(Say("done")))
func Steps(steps ...string) string { return "#! " + strings.Join(steps, " / THEN / ") }

// Step joins the directives of one step.
func Step(directives ...string) string { return strings.Join(directives, " / ") }

// Say writes a SAY; the text may hold anything.
func Say(text string) string { return string(OpSay) + " " + quote(text) }

// Think writes a THINK.
func Think(text string) string { return string(OpThink) + " " + quote(text) }

// Call writes a CALL. Args is encoded as JSON; a value that cannot be is a
// mistake of the caller and panics.
func Call(tool string, args any) string { return fmt.Sprintf("%s %s %s", OpCall, tool, quote(args)) }

// Bash writes a CALL of the tool bash.
func Bash(command string) string {
	return Call("bash", map[string]string{"command": command, "description": "run " + shorten(firstLine(command), 40)})
}

// Write writes a CALL of the tool write.
func Write(path, content string) string {
	return Call("write", map[string]string{"file_path": path, "content": content})
}

// Helper writes a CALL of the tool subagent whose prompt is the script given.
func Helper(description, script string, background bool) string {
	return Call("subagent", map[string]any{"description": description, "prompt": script, "run_in_background": background})
}

// Goal writes a GOAL.
func Goal(action string) string { return string(OpGoal) + " " + quote(action) }

// Hold writes a HOLD.
func Hold(name string) string { return string(OpHold) + " " + quote(name) }

func quote(v any) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("scriptmodel: arguments that are no JSON: %v", err))
	}
	return strings.TrimSuffix(out.String(), "\n")
}
