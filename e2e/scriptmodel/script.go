package scriptmodel

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Op is what an Action does; see the package's text.
type Op string

// The directives.
const (
	OpThink  Op = "THINK"
	OpSay    Op = "SAY"
	OpStream Op = "STREAM"
	OpCall   Op = "CALL"
	OpThen   Op = "THEN"
	OpHold   Op = "HOLD"
	OpGoal   Op = "GOAL"
	OpSleep  Op = "SLEEP"
	OpHang   Op = "HANG"
	OpCut    Op = "CUT"
	OpErr    Op = "ERR"
	OpUsage  Op = "USAGE"
	OpFinish Op = "FINISH"
	OpResume Op = "RESUME"
)

// Action is one directive.
type Action struct {
	Op    Op
	Text  string // of THINK, SAY, STREAM, ERR, FINISH; the name of a HOLD; what a GOAL does
	Tool  string // of a CALL
	Args  string // of a CALL: the arguments as sent; of USAGE: a JSON object
	N     int    // of STREAM chunks, of SLEEP milliseconds, of ERR the status, of RESUME the step
	Times int    // of a fault: how often it happens; 0 is always
}

// Script is a parsed script: what each step plays.
type Script struct {
	Text  string // as written; what counted faults are kept by
	Steps [][]Action
	Skip  int // steps that were served before the conversation was compacted
}

var (
	scriptStart = regexp.MustCompile(`(?m)(?:^|[ \t])#! `)
	timesWord   = regexp.MustCompile(`^x([1-9][0-9]*)$`)
)

// Find gives the text of a message's script, its lines joined by new lines, or
// "" where there is none.
func Find(message string) string {
	at := scriptStart.FindStringIndex(message)
	if at == nil {
		return ""
	}
	first, rest, _ := strings.Cut(message[at[1]:], "\n")
	lines := []string{strings.TrimRight(first, " \t\r")}
	for line := range strings.SplitSeq(rest, "\n") {
		if more, ok := strings.CutPrefix(line, "#!"); ok {
			lines = append(lines, strings.TrimSpace(more))
		}
	}
	return strings.Join(lines, "\n")
}

// Parse reads a script's text as Find gives it. An error names the directive
// that cannot be read.
func Parse(text string) (Script, error) {
	s := Script{Text: text, Steps: [][]Action{nil}}
	for rest := text; ; {
		rest = strings.TrimLeft(rest, " \t\r\n")
		if rest == "" {
			return s, nil
		}
		a, tail, err := directive(rest)
		if err != nil {
			return Script{}, err
		}
		switch a.Op {
		case OpThen:
			s.Steps = append(s.Steps, nil)
		case OpResume:
			s.Skip = a.N
		default:
			last := len(s.Steps) - 1
			s.Steps[last] = append(s.Steps[last], a)
		}
		rest = tail
	}
}

// directive reads the first directive of text and gives what follows its separator.
func directive(text string) (Action, string, error) {
	word, _, _ := strings.Cut(firstLine(text), " ")
	a := Action{Op: Op(word)}
	rest := strings.TrimPrefix(text[len(word):], " ")
	fail := func(why string) (Action, string, error) {
		return Action{}, "", fmt.Errorf("script: %s: %s", shorten(firstLine(text), 80), why)
	}
	if a.Op == OpCall {
		var ok bool
		if a.Tool, rest, ok = strings.Cut(rest, " "); !ok || a.Tool == "" {
			return fail("wants a tool's name and its arguments")
		}
	}
	arg, quoted, tail, err := argument(rest)
	if err != nil {
		return fail(err.Error())
	}
	if why := a.fill(arg, quoted); why != "" {
		return fail(why)
	}
	return a, tail, nil
}

// argument takes a JSON value, or plain text up to the separator. Of a JSON
// string it gives what the string says; quoted tells so.
func argument(text string) (arg string, quoted bool, tail string, err error) {
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, `"`) {
		arg, tail = cutSeparator(text)
		return strings.TrimSpace(arg), false, tail, nil
	}
	dec := json.NewDecoder(strings.NewReader(text))
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return "", false, "", fmt.Errorf("cannot read the JSON: %w", err)
	}
	more, tail := cutSeparator(text[dec.InputOffset():])
	if strings.TrimSpace(more) != "" {
		return "", false, "", fmt.Errorf("%q after the JSON", strings.TrimSpace(more))
	}
	if raw[0] == '"' {
		err := json.Unmarshal(raw, &arg)
		return arg, true, tail, err
	}
	return string(raw), false, tail, nil
}

func cutSeparator(text string) (before, after string) {
	line, rest, _ := strings.Cut(text, "\n")
	if strings.HasPrefix(line, "/ ") {
		return "", text[2:]
	}
	if b, a, ok := strings.Cut(line, " / "); ok {
		return b, a + "\n" + rest
	}
	return line, rest
}

// fill puts the argument where the directive wants it, or says what is wrong.
func (a *Action) fill(arg string, quoted bool) string {
	words := strings.Fields(arg)
	number := func() string {
		n, err := strconv.Atoi(strings.Join(words[:min(1, len(words))], ""))
		if err != nil || n < 0 {
			return "wants a number"
		}
		a.N, words = n, words[1:]
		return ""
	}
	times := func() {
		for i, w := range words {
			if m := timesWord.FindStringSubmatch(w); m != nil {
				a.Times, _ = strconv.Atoi(m[1])
				words = append(words[:i:i], words[i+1:]...)
				return
			}
		}
	}
	switch a.Op {
	case OpThink, OpSay, OpFinish, OpHold, OpGoal:
		if a.Text = arg; arg == "" {
			return "wants a text"
		}
		return ""
	case OpCall:
		if a.Args = arg; !quoted && !strings.HasPrefix(arg, "{") {
			return "wants its arguments as a JSON object or string"
		}
		return ""
	case OpUsage:
		if a.Args = arg; quoted || !strings.HasPrefix(arg, "{") {
			return "wants a JSON object"
		}
		return ""
	case OpStream:
		why := number()
		a.Text = strings.Join(words, " ")
		return why
	case OpErr:
		why := number()
		times()
		if a.Text = strings.Join(words, " "); why == "" && (a.N < 400 || a.N > 599) {
			why = "wants a status from 400 to 599"
		}
		return why
	case OpSleep, OpResume:
		if why := number(); why != "" {
			return why
		}
	case OpHang, OpCut:
		times()
	case OpThen:
	default:
		return "is no directive"
	}
	if len(words) > 0 {
		return "has too much after it"
	}
	return ""
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// shorten cuts a text to n bytes or a little less, at a rune.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
