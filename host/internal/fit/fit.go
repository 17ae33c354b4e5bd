// Package fit says, before a message is sent, whether it fits into its chat. It is pure;
// the figures are the context plugin's and the model server's.
package fit

import (
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/budget"
)

// Chat is how full a chat is. Sizes are tokens; 0 is not known.
type Chat struct {
	Tokens int `json:"tokens"` // of the next prompt, without the message
	Window int `json:"window"`
	Fixed  int `json:"fixed"` // of the agent's instructions and tools
	// Source is "measured" where the model's server told, else "estimated".
	Source string `json:"source"`
	// Density is how many of the server's tokens one of the Harness's stands for.
	Density float64 `json:"density"`
	// Stuck is why summarizing is not tried by itself: abi.SaidStuck or abi.SaidFixed.
	Stuck string `json:"stuck,omitempty"`
	// Outline says that the newest summary is none, as no model made one.
	Outline bool `json:"outline,omitempty"`
	// Kept is the file below the chat's folder that has what it leaves out; "" is none.
	Kept string `json:"kept,omitempty"`
}

// Percent is how full the chat is, in percent of its window, rounded; 0 where the
// window is not known.
func (c Chat) Percent() int {
	if c.Window <= 0 {
		return 0
	}
	return (c.Tokens*100 + c.Window/2) / c.Window
}

// PictureTokens is what a picture is taken for, in tokens: about what servers count, whose
// sizes are their own business.
const PictureTokens = 1500

// Price is the Harness's price of a message of text.
func Price(text string) int { return budget.MessagePrice(budget.TextPrice(budget.Units(text))) }

// Reckon is a message's size by what is known of the chat, budget.Uncounted where its
// density was not measured.
func (c Chat) Reckon(text string) int {
	if c.Source != "measured" || c.Density <= 0 {
		return budget.Uncounted
	}
	return budget.NodePrice(Price(text), c.Density)
}

// Surely tells whether a message fits however its server counts: nobody need ask.
func (c Chat) Surely(text string, pictures int) bool {
	return c.Window > 0 && c.Tokens+budget.NodePrice(Price(text), budget.MaxDensity)+pictures*PictureTokens <= budget.Limit(c.Window)
}

// Little tells whether a text takes little of the window however its server counts.
func (c Chat) Little(text string) bool {
	return c.Window <= 0 || budget.NodePrice(Price(text), budget.MaxDensity) <= budget.Limit(c.Window)/4
}

// Cramped tells whether the window holds no more than the agent's instructions.
func (c Chat) Cramped() bool { return c.Window > 0 && c.Fixed > budget.Limit(c.Window) }

const (
	// unshownFixed is the Harness's price of the agent's instructions and tools in its own
	// preset, in tokens: what they are taken for as long as no answer has shown it.
	unshownFixed = 7000
	// unshownDensity is that of logs and code, where none is known.
	unshownDensity = 2
	// partRoom is what reading a file in parts takes, in tokens: a part and an answer.
	partRoom = 4096
)

// ReadsParts tells whether beside the agent's instructions the window has room to read a
// long text in parts.
func (c Chat) ReadsParts() bool {
	fixed := c.Fixed
	if c.Source != "measured" {
		density := c.Density
		if density <= 1 {
			density = unshownDensity
		}
		fixed = max(fixed, budget.NodePrice(unshownFixed, density))
	}
	return c.Window <= 0 || budget.Limit(c.Window)-fixed >= partRoom
}

// Narrow tells whether the agent's instructions leave so little of the window that no
// summary helps.
func (c Chat) Narrow() bool { return c.Cramped() || c.Stuck == abi.SaidFixed }

// Full tells whether the chat is longer than what is sent.
func (c Chat) Full() bool { return c.Window > 0 && c.Tokens > budget.Limit(c.Window) }

// Decide says what is done with a message of that many tokens, or budget.Uncounted.
func (c Chat) Decide(message int) budget.Fit {
	if c.Window <= 0 || message < 0 {
		return budget.Send
	}
	return budget.DecideFit(c.Window, c.Tokens+message, c.Fixed+message)
}
