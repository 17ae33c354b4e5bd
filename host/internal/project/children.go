package project

import (
	"strings"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// The states of a helper's row.
const (
	HelperRunning = "running"
	HelperDone    = "done"
	HelperFailed  = "failed"
	HelperStopped = "stopped"
)

// Child folds one helper's events into its row and the cards of what it asks for.
// A card of a helper is shown from its question on; what it does unasked is not, but
// where Whole says so.
type Child struct {
	fold  *Fold
	row   chat.Helper
	since int64
	asked map[string]bool // card ids that were proposed

	// Continuable says that the helper reports to its parent when it settles; a
	// one-shot one answers inside its parent's call.
	Continuable bool
	// Whole shows all cards, also of what it does unasked.
	Whole bool
	// Dearer gives the shown name of a route that costs more than that of the agent which
	// started the helper, "" for any other. Nil says so of none.
	Dearer func(route string) string

	route string // the one of its newest request
	task  string // what it was told to do
	on    string // the shown name of a dearer route
}

// NewChild gives the projection of a helper before its first event.
func NewChild(cfg Config) *Child {
	return &Child{
		fold:  New(cfg),
		row:   chat.Helper{ID: cfg.Session, Status: HelperRunning},
		asked: map[string]bool{},
	}
}

// Running tells whether the helper is at work.
func (c *Child) Running() bool { return c.row.Status == HelperRunning }

// Route is that of the helper's newest request, as provider/model; "" before the first.
func (c *Child) Route() string { return c.route }

// Row is the helper's row as it stands; one that has not begun has no UpdatedAt.
func (c *Child) Row() chat.Helper { return c.row }

// Usage is what the helper's model requests used.
func (c *Child) Usage() chat.Usage { return c.fold.Usage() }

// Apply takes the helper's next event and gives the frames for the chat's page.
func (c *Child) Apply(e dsh.Event) []chat.Frame {
	before := c.row
	c.observe(e)
	frames := c.cards(c.fold.Apply(e))
	if u := c.fold.Usage(); u.Prompt+u.Completion > 0 {
		c.row.Tokens = u.Prompt + u.Completion
	}
	if c.since == 0 || c.row == before {
		return frames
	}
	c.row.UpdatedAt = e.Time
	if c.row.Status != HelperRunning || before.Status == HelperRunning {
		c.row.DurationMs = max(0, e.Time-c.since)
	}
	return append(frames, c.frame())
}

// Close ends the helper's open cards and its row, when the process went away or the
// run is over. Time is Unix milliseconds.
func (c *Child) Close(lost bool, time int64) []chat.Frame {
	frames := c.cards(c.fold.Close(lost))
	if c.since == 0 || c.row.Status != HelperRunning {
		return frames
	}
	c.row.Status, c.row.UpdatedAt = HelperStopped, time
	return append(frames, c.frame())
}

func (c *Child) observe(e dsh.Event) {
	switch e.Type {
	case dsh.TypeSubagent:
		if s, ok := Data[dsh.Subagent](e); ok {
			c.row.Name, c.Continuable = s.Label, s.Mode == "continuable"
		}
	case dsh.TypeTurnStart:
		if c.since == 0 {
			c.since = e.Time
		}
		c.row.Status = HelperRunning
	case dsh.TypeUserMessage:
		if m, ok := Person(e); ok && c.task == "" {
			c.task = clipTitle(strings.Join(strings.Fields(m.Text), " "))
			c.describe()
		}
	case dsh.TypeRequestContext:
		if r, ok := Data[dsh.RequestContext](e); ok && r.Provider != "" {
			c.route = r.Provider + "/" + r.Model
			if c.Dearer != nil {
				c.on = c.Dearer(c.route)
			}
			c.describe()
		}
	case dsh.TypeTurnEnd:
		if end, ok := TurnEnd(e); ok {
			c.row.Status = helperStatus(end.Reason.Kind)
		}
	}
}

// describe words the row: what the helper does, and that it costs more where it does.
func (c *Child) describe() {
	c.row.Description = c.task
	if c.on != "" {
		c.row.Description = say.Sentence(say.HelperDearer, "model", c.on, "what", c.task).Text
	}
}

func helperStatus(end string) string {
	switch end {
	case "completed", "max-tokens":
		return HelperDone
	case "aborted", "interrupted":
		return HelperStopped
	}
	return HelperFailed
}

// cards keeps the frames of cards that a person was asked about, and notices.
func (c *Child) cards(frames []chat.Frame) []chat.Frame {
	var out []chat.Frame
	for _, f := range frames {
		if f.Type == chat.Notice { // what it says is of the system, not of the helper
			out = append(out, f)
		}
		if f.Type != chat.AgentTool {
			continue
		}
		if f.Tool.State == chat.ToolProposed {
			c.asked[f.Tool.ID] = true
		}
		if c.Whole || c.asked[f.Tool.ID] {
			out = append(out, f)
		}
	}
	return out
}

func (c *Child) frame() chat.Frame {
	row := c.row
	return chat.Frame{Type: chat.AgentRow, Agent: &row}
}
