// Package command reads the commands that a person types into a chat. It is pure.
package command

import (
	"slices"
	"strings"
	"unicode"
)

// Kind is what becomes of a message.
type Kind int

// The kinds.
const (
	None    Kind = iota // no command: the model gets it as it is
	Help                // the host lists the commands
	Plan                // the model gets Rest, in Plan mode, this once
	Goal                // what Rest says of the chat's goal
	Handed              // the Harness has a command of that name
	Unknown             // nobody has
)

// handed are the Harness's commands that a chat may give. Others of its commands
// change what a chat is allowed to do, and are the host's alone.
var handed = []string{"compact", "strata"}

// Line is a message as it was read.
type Line struct {
	Kind Kind
	Name string // without the slash, in lower case
	Rest string // what follows the name, without space around it
}

// Parse reads a message. One that begins with a slash, whatever space is before it,
// is a command and never None.
func Parse(text string) Line {
	text = strings.TrimSpace(text)
	body, ok := strings.CutPrefix(text, "/")
	if !ok {
		return Line{}
	}
	name, rest := body, ""
	if i := strings.IndexFunc(body, unicode.IsSpace); i >= 0 {
		name, rest = body[:i], strings.TrimSpace(body[i:])
	}
	l := Line{Kind: Unknown, Name: strings.ToLower(name), Rest: rest}
	switch {
	case l.Name == "help":
		l.Kind = Help
	case l.Name == "plan":
		l.Kind = Plan
	case l.Name == "goal":
		l.Kind = Goal
	case slices.Contains(handed, l.Name):
		l.Kind = Handed
	}
	return l
}

// String is the line as the Harness takes it.
func (l Line) String() string {
	if l.Rest == "" {
		return "/" + l.Name
	}
	return "/" + l.Name + " " + l.Rest
}
