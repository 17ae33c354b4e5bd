package project

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

func TestProposal(t *testing.T) {
	said := func(text string) chat.Frame { return chat.Frame{Type: chat.Delta, Sentence: chat.Sentence{Text: text}} }
	card := chat.Frame{Type: chat.AgentTool, Tool: &chat.Tool{ID: "c", State: chat.ToolRunning}}
	turn := chat.Frame{Type: chat.Started} // stands for another turn here
	list := said("Plan:\n1. look\n2. change\n")
	for name, c := range map[string]struct {
		frames                  []chat.Frame
		text, asked, atTheGuard string
	}{
		"no plan":                   {[]chat.Frame{said("It is 4.")}, "", "It is 4.", ""},
		"a list":                    {[]chat.Frame{list}, "Plan:\n1. look\n2. change", "Plan:\n1. look\n2. change", "Plan:\n1. look\n2. change"},
		"in pieces":                 {[]chat.Frame{said("1"), said(". a\n**2."), said("** b")}, "1. a\n**2.** b", "1. a\n**2.** b", "1. a\n**2.** b"},
		"looked before":             {[]chat.Frame{said("Let me look."), card, list}, "Plan:\n1. look\n2. change", "Plan:\n1. look\n2. change", "Plan:\n1. look\n2. change"},
		"looked after":              {[]chat.Frame{list, card, said("1. lo")}, "Plan:\n1. look\n2. change", "1. lo", "Plan:\n1. look\n2. change"},
		"begun anew":                {[]chat.Frame{list, card, said("1. x\n2. y\n1. ")}, "1. x\n2. y\n1.", "1. x\n2. y\n1.", "Plan:\n1. look\n2. change"},
		"the host's own line":       {[]chat.Frame{list, own(say.AnswerCut)}, "Plan:\n1. look\n2. change", "Plan:\n1. look\n2. change", "Plan:\n1. look\n2. change"},
		"a version is no list item": {[]chat.Frame{said("1.2 and\n2.0 are versions")}, "", "1.2 and\n2.0 are versions", ""},
		"a report's turn":           {[]chat.Frame{list, turn, said("thanks")}, "Plan:\n1. look\n2. change", "Plan:\n1. look\n2. change", "Plan:\n1. look\n2. change"},
		"a report changes it":       {[]chat.Frame{list, turn, card, said("1. x\n2. y")}, "1. x\n2. y", "1. x\n2. y", "1. x\n2. y"},
		"no list, a report's turn":  {[]chat.Frame{said("Just do it."), turn, said("thanks")}, "", "Just do it.", ""},
		"two reports":               {[]chat.Frame{list, turn, card, turn, said("thanks")}, "Plan:\n1. look\n2. change", "Plan:\n1. look\n2. change", "Plan:\n1. look\n2. change"},
		"empty":                     {nil, "", "", ""},
	} {
		var p, asked Proposal
		for _, f := range c.frames {
			if f.Type == chat.Started {
				p.Turn(false)
				asked.Turn(true)
				continue
			}
			p.Frame(f)
			asked.Frame(f)
		}
		if d := cmp.Diff([]string{c.text, c.asked, c.atTheGuard}, []string{p.Text(false), asked.Text(true), p.Written()}); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}
