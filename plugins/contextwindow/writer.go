package contextwindow

import (
	"strconv"
	"strings"
	"time"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/budget"
)

// writer makes one summary.
type writer struct {
	t       *sdk.Task
	in      abi.ContextSource
	density float64
	source  int // the Harness's price of what is summarized
	room    int // tokens of the chat that the summary may take; 0 is not known
	made    abi.ContextSummary
}

func newWriter(t *sdk.Task, in abi.ContextSource, density float64) *writer {
	w := &writer{t: t, in: in, density: density}
	for _, p := range in.Messages {
		w.source += p.Tokens
	}
	return w
}

// header is the Harness's price of its request's instructions and tools.
func (w *writer) header() int { return headerPrice(w.in.System, w.in.Tools) }

// tokens is the model's size of a text of that many UTF-16 units.
func (w *writer) tokens(units int) int {
	return budget.NodePrice(budget.TextPrice(units), w.density)
}

// write asks for the summary: in the Harness's own request where that fits, in pieces
// where it does not or is refused.
func (w *writer) write() (string, error) {
	if w.source <= framePrice {
		return "", sdk.Errorf(abi.CodeNoGain, "%s", abi.SaidNoGain)
	}
	if whole, ok := w.wholeCap(); ok {
		text, err := w.whole(whole)
		if text != "" || err != nil {
			return text, err
		}
	}
	return w.pieces()
}

// wholeCap is the cap of a summary in the Harness's own request; ok is false where that
// does not fit. Without a known window it is tried.
func (w *writer) wholeCap() (tokens int, ok bool) {
	prompt := budget.NodePrice(w.header()+w.source+budget.TextPrice(w.in.Instruction), w.density)
	summary := summaryCap(w.in.Window, w.in.Asked)
	if w.in.Window <= 0 {
		return summary, true
	}
	asked := w.in.Asked
	if asked <= 0 {
		asked = askedByHarness
	}
	return budget.OutputCap(w.in.Window, prompt, asked), prompt+summary <= budget.Limit(w.in.Window)
}

// whole sends the Harness's request. It gives no text where the history is to be asked
// for in pieces: the request was refused, or what came back is no summary.
func (w *writer) whole(tokens int) (string, error) {
	a, text, err := w.ask(abi.LLMRequest{Whole: true, MaxTokens: tokens})
	switch {
	case err != nil:
		return "", err
	case a.Finish == finishError && overflow(a.Code, a.Status, a.Message):
		if prompt := w.header() + w.source; w.in.Window > 0 && prompt > 0 {
			w.density = max(w.density, budget.Density(max(told(a.Message, w.in.Window), w.in.Window+1), prompt))
		}
		return "", nil
	case a.Finish == finishError || !isSummary(a, text):
		w.t.Logf(sdk.Info, "context: the summary is asked for as a transcript: %s %s %s", a.Finish, a.Code, a.Message)
		return "", nil
	}
	return text, nil
}

// Finishes of a model request, in the Harness's words.
const (
	finishError   = "error"
	finishAborted = "aborted"
	finishCut     = "max-tokens"
)

// isSummary tells whether an answer is a summary and not the conversation's next turn:
// text with the headings that were asked for and no calls. One that was cut off is one.
func isSummary(a abi.LLMAnswer, text string) bool {
	return a.Finish != "tool-calls" && (strings.HasPrefix(text, "## ") || strings.Contains(text, "\n## "))
}

// patience are the waits between tries of a server that is away.
var patience = []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second}

// passing are the Harness's codes of failures that may pass.
var passing = []string{"TRANSPORT", "SERVER", "TIMEOUT", "RATE_LIMIT", "LLM_STREAM_IDLE_TIMEOUT", "STREAM_CLOSED", "EMPTY_RESPONSE"}

// ask makes one model request, again where a server is away for a moment. An answer
// that the server refused is one.
func (w *writer) ask(req abi.LLMRequest) (abi.LLMAnswer, string, error) {
	for try := 0; ; try++ {
		w.made.Requests++
		a, body, err := sdk.LLM(w.t, req)
		if err != nil {
			return a, "", err
		}
		w.made.Input, w.made.Output = w.made.Input+a.Input, w.made.Output+a.Output
		if a.Finish == finishAborted {
			return a, "", sdk.Errorf(abi.CodeCancelled, "%s", a.Message)
		}
		again := a.Finish == finishError && contains(passing, func(code string) bool { return code == a.Code })
		if !again || overflow(a.Code, a.Status, a.Message) {
			return a, strings.TrimSpace(string(body)), nil
		}
		if try == len(patience) {
			return a, "", noSummary(w.t, a)
		}
		if err := sdk.Sleep(w.t, patience[try]); err != nil {
			return a, "", err
		}
	}
}

// noSummary is the error of a model that makes none; why is for the log.
func noSummary(t *sdk.Task, a abi.LLMAnswer) error {
	t.Logf(sdk.Warn, "context: no summary: %s %s %s", a.Finish, a.Code, a.Message)
	return sdk.Errorf(abi.CodeNoSummary, "%s", abi.SaidNoSummary)
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}
