package scriptmodel

import (
	"regexp"
	"strings"
)

// rule is one kind of thing that a person asks of the demo.
type rule struct {
	name     string
	match    *regexp.Regexp // on the cleaned message
	examples []example      // checked by a test
	next     func(m []string, done []Result) []call
	answer   func(m []string, done []Result) string
}

// example is what a person types and the first call that it leads to, written
// "tool {arguments}"; "" is an answer without a call.
type example struct{ text, call string }

// call is a call that the demo would make, and why. Of several in a list the
// first whose tool is offered is made.
type call struct {
	tool string
	args map[string]any
	why  string
}

// tools are the offered tools' schemas by name.
type tools map[string]Schema

func toolset(offered []Tool) tools {
	out := tools{}
	for _, t := range offered {
		out[t.Function.Name] = t.Function.Parameters
	}
	return out
}

// demo answers a message without a script: the next call of the rule that fits,
// or its closing answer.
func demo(c Conversation, offered tools) []Action {
	r, m := ruleFor(c.Person)
	done := c.Results()
	if r.next == nil || len(done) < c.Served { // an answer was given already
		return []Action{{Op: OpThink, Text: "No tool is needed for this."}, say(r.answer(m, done))}
	}
	calls := r.next(m, done)
	if len(calls) == 0 {
		if bad, failed := failure(done); failed {
			return []Action{say(bad)}
		}
		return []Action{{Op: OpThink, Text: "That is what was asked for."}, say(r.answer(m, done))}
	}
	for _, want := range calls {
		if schema, ok := offered[want.tool]; ok {
			return []Action{{Op: OpThink, Text: want.why}, {Op: OpCall, Tool: want.tool, Args: quote(fit(want.args, schema))}}
		}
	}
	return []Action{say("I have no tool for that here.")}
}

// ruleFor finds the rule for a message; the last one fits all.
func ruleFor(message string) (rule, []string) {
	text := clean(message)
	for _, r := range rules {
		if m := r.match.FindStringSubmatch(text); m != nil {
			return r, m
		}
	}
	panic("scriptmodel: the last rule does not fit all")
}

var (
	politeness = regexp.MustCompile(`(?i)^(?:(?:hi|hello|hey|ok|okay|please|now|then|and)[,!. ]+|(?:can|could|would|will) you (?:please )?|i(?: would|'d) like you to |let's |i want you to )+`)
	ending     = regexp.MustCompile(`(?i)(?:,? (?:please|for me|thanks|thank you))*[?!. ]*$`)
)

// clean takes politeness and the end's punctuation away and joins the words.
func clean(message string) string {
	text := strings.Join(strings.Fields(message), " ")
	if short := politeness.ReplaceAllString(text, ""); short != "" {
		text = short
	}
	if short := ending.ReplaceAllString(text, ""); short != "" {
		text = short
	}
	return text
}

// fit drops arguments that a schema does not have and renames the path of a file
// to what it is called there.
func fit(args map[string]any, schema Schema) map[string]any {
	if schema.Properties == nil {
		return args
	}
	out := map[string]any{}
	for name, v := range args {
		if _, ok := schema.Properties[name]; !ok && name == "file_path" {
			name = "path"
		}
		if _, ok := schema.Properties[name]; ok {
			out[name] = v
		}
	}
	return out
}

var refused = regexp.MustCompile(`(?i)\b(?:den(?:y|ied)|reject(?:ed)?|refused?|declined?|not allowed|not approved|said no|plan mode|read-only|cancelled)\b`)

// failure words what the last tool call's error means.
func failure(done []Result) (string, bool) {
	if len(done) == 0 {
		return "", false
	}
	text, failed := done[len(done)-1].Failed()
	switch {
	case !failed:
		return "", false
	case refused.MatchString(text):
		return "All right, I have not done that. I was told: " + text, true
	}
	return "That did not work: " + text, true
}
