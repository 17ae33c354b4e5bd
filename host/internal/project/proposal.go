package project

import (
	"regexp"
	"strings"

	"strata.dev/bridge/proto/chat"
)

// Proposal finds in the frames of a plan turn the plan that was written. The zero value
// is of a turn that begins.
type Proposal struct {
	now    strings.Builder // the text since the newest card
	listed string          // the newest text before it that is a plan
}

// Frame takes in the next frame of the turn.
func (p *Proposal) Frame(f chat.Frame) {
	switch {
	case f.Type == chat.Delta && !f.Own:
		p.now.WriteString(f.Text)
	case f.Type == chat.AgentTool && p.now.Len() > 0:
		if isPlan(p.now.String()) {
			p.listed = p.now.String()
		}
		p.now.Reset()
	}
}

// Text is the plan, "" where there is none. Asked says that the person asked for one, so
// that whatever was answered last is it.
func (p *Proposal) Text(asked bool) string {
	now := strings.TrimSpace(p.now.String())
	if now != "" && (asked || isPlan(now)) {
		return now
	}
	return strings.TrimSpace(p.listed)
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
