package project

import (
	"regexp"
	"strings"

	"strata.dev/bridge/proto/chat"
)

// Proposal finds in the frames of a plan run the plan that was written. The zero value is
// of a run that begins.
type Proposal struct {
	now     strings.Builder // the text since the newest card
	listed  string          // the newest text of the turn before it that is a plan
	earlier string          // the plan of the turns before
}

// Turn takes in that another turn begins, such as for a helper's report. One that goes on
// with a text that was cut off is none. Asked is as in Text.
func (p *Proposal) Turn(asked bool) {
	p.earlier, p.listed = p.Text(asked), ""
	p.now.Reset()
}

// Frame takes in the next frame of the turn.
func (p *Proposal) Frame(f chat.Frame) {
	switch {
	case f.Type == chat.Delta && !f.Own:
		p.now.WriteString(f.Text)
	case f.Type == chat.Delta && p.now.Len() > 0: // the host's own line, such as that it goes on
		p.now.WriteString("\n\n")
	case f.Type == chat.AgentTool && p.now.Len() > 0:
		if isPlan(p.now.String()) {
			p.listed = p.now.String()
		}
		p.now.Reset()
	}
}

// Text is the plan, "" where there is none. Asked says that the person asked for one, so
// that whatever the turn of the message answered last is it.
func (p *Proposal) Text(asked bool) string {
	now := strings.TrimSpace(p.now.String())
	switch {
	case now != "" && (asked && p.earlier == "" || isPlan(now)):
		return now
	case p.listed != "":
		return strings.TrimSpace(p.listed)
	}
	return p.earlier
}

// Written is the newest plan of a turn that was ended in the middle of the text begun
// since; that text where there is no other.
func (p *Proposal) Written() string {
	if p.listed != "" {
		return strings.TrimSpace(p.listed)
	}
	return p.Text(false)
}

var item = regexp.MustCompile(`(?m)^ {0,3}(?:\*\*)?[0-9]{1,3}[.)](?:\*\*)?\s`)

// isPlan tells whether a text has a numbered list.
func isPlan(text string) bool { return len(item.FindAllStringIndex(text, 2)) == 2 }
