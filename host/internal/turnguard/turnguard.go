// Package turnguard tells when a turn goes nowhere and is to be ended by the app, not
// left to the model. It is pure: it counts what the turn shows.
package turnguard

import (
	"strconv"
	"strings"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/budget"
	"strata.dev/bridge/proto/chat"
)

// The limits of agent-bridge.txt, "Turn guard". OnlyFailures is ours: by the eighth
// call, a turn that can do anything has done it.
const (
	FailedSearches = 3  // web searches that failed in a row
	Searches       = 25 // web searches of a turn
	PlanSearches   = 10 // of a plan turn
	PlanRestarts   = 4  // times a plan turn began its numbered list again
	SameFailure    = 4  // times one call failed with one set of arguments
	OnlyFailures   = 8  // failed calls of a turn in which none went well
)

// searchTool is the Harness's tool for web searches.
const searchTool = "web_search"

// Guard counts what one turn of the chat's own agent shows. Helpers' cards are not its
// business. It is not safe for concurrent use.
type Guard struct {
	plan bool
	list list

	seen     map[string]bool // ids of calls that began
	over     map[string]bool // ids of calls that ended
	searches int
	refused  int // searches that failed in a row
	failures map[string]int
	failed   int
	worked   bool
	full     bool // the newest model request used too much of the window
}

// New gives the Guard of a turn that begins; plan says that it is one in Plan mode.
func New(plan bool) *Guard {
	return &Guard{plan: plan, seen: map[string]bool{}, over: map[string]bool{}, failures: map[string]int{}}
}

// Frame takes in the next frame of the turn. It gives the sentence that says why the
// turn is to be ended and what the person can do, or nil where it may go on.
func (g *Guard) Frame(f chat.Frame) *chat.Sentence {
	switch f.Type {
	case chat.ContextUse:
		g.full = f.Context.Window > 0 && budget.Reached(int(f.Context.Tokens), int(f.Context.Window), budget.FullPercent)
	case chat.Delta:
		if !f.Own && g.plan && g.list.text(f.Text) >= PlanRestarts {
			return sentence(say.GuardPlan)
		}
	case chat.AgentTool:
		return g.tool(*f.Tool)
	}
	return nil
}

// tool takes in a card. A call that follows a request which left no room says that the
// turn goes on all the same.
func (g *Guard) tool(t chat.Tool) *chat.Sentence {
	if !g.seen[t.ID] {
		g.seen[t.ID] = true
		g.list.step()
		if g.full {
			return sentence(say.GuardFull)
		}
		if t.Name == searchTool {
			if g.searches++; g.searches > g.most() {
				return told(say.GuardSearches, g.most())
			}
		}
	}
	if g.over[t.ID] || t.State != chat.ToolDone && t.State != chat.ToolError {
		return nil
	}
	g.over[t.ID] = true
	return g.ended(t)
}

// ended takes in how a call ended. One that the person or the gate denied has not failed.
func (g *Guard) ended(t chat.Tool) *chat.Sentence {
	if !failed(t) {
		g.worked = true
		if t.Name == searchTool {
			g.refused = 0
		}
		return nil
	}
	g.failed++
	if t.Name == searchTool {
		if g.refused++; g.refused >= FailedSearches {
			return told(say.GuardSearchFails, g.refused)
		}
	}
	call := t.Name + "\x00" + t.Input
	if g.failures[call]++; g.failures[call] >= SameFailure {
		return told(say.GuardSameFailure, g.failures[call])
	}
	if !g.worked && g.failed >= OnlyFailures {
		return told(say.GuardOnlyFailures, g.failed)
	}
	return nil
}

func (g *Guard) most() int {
	if g.plan {
		return PlanSearches
	}
	return Searches
}

// failed tells whether a call went wrong. A search that every source refused answers
// the model with a sentence, as it is no fault of the tool.
func failed(t chat.Tool) bool {
	return t.State == chat.ToolError || t.Name == searchTool && strings.Contains(t.Result, limited)
}

// limited begins LIMITED_SENTENCE of agent-bridge.txt.
const limited = "Web search is limited right now."

func sentence(key string) *chat.Sentence {
	s := say.Sentence(key)
	return &s
}

func told(key string, times int) *chat.Sentence {
	s := say.Sentence(key, "times", strconv.Itoa(times))
	return &s
}
