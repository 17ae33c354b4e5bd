package contextwindow

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/budget"
)

// overflowRetries is the engine's (shim/context/engine.mjs).
const overflowRetries = 3

// talk is a chat with a model that counts and refuses, held as the Harness and the host
// hold it: what fits is sent, room is made where it does not or was refused, and the
// person does one thing about what is left.
type talk struct {
	*chat
	model  *server
	counts bool // the server tells sizes before a message is sent

	sent, refused, helped int
	moved                 bool // the person chose another model
	least                 int  // the Harness's price of the shortest prompt that was refused since one was answered; 0: none was
	unclear               bool // that one was refused in words that tell nothing, so that it may be sent with a shorter reply
	twice, lost           []string
}

// newTalk begins with the Harness's instructions and tools, of 28,000 characters.
func newTalk(t testing.TB, window int, perToken float64, status int, counts bool) *talk {
	const fixed = 28_000
	return &talk{
		chat:   newChat(t, window, min(32_768, window/4), budget.TextPrice(fixed)),
		model:  &server{t: t, window: window, perToken: perToken, header: fixed, instruction: 2400, status: status, dense: map[int64]bool{}},
		counts: counts,
	}
}

// message is what a person sends.
type message struct {
	units int
	dense bool
	steps int // tool results of a twentieth of the window each, before the answer
}

// attached is the message that stands for one which is kept in a file.
var attached = message{units: 1600}

// say sends a message, and does one thing where it is not answered.
func (k *talk) say(m message) {
	if k.moved {
		return
	}
	outcome := k.send(m)
	if outcome == "" {
		return
	}
	k.helped++
	switch outcome {
	case "too large":
		outcome = k.send(attached)
	case "full":
		k.compact(abi.TriggerManual)
		outcome = k.send(m)
	case "cramped": // another model takes it
		k.moved = true
		return
	}
	if outcome != "" {
		k.lost = append(k.lost, fmt.Sprintf("%+v: %s", m, outcome))
	}
}

// send looks at a message, sends it, and gives why it was not answered.
func (k *talk) send(m message) (outcome string) {
	known, size := k.measure(), budget.Uncounted
	switch {
	case k.counts && m.dense:
		size = m.units
	case k.counts:
		size = k.model.count(m.units)
	case known.Source == abi.Measured:
		size = budget.NodePrice(budget.TextPrice(m.units), known.Density)
	}
	if known.Fixed > budget.Limit(known.Window) {
		return "cramped"
	}
	switch budget.DecideFit(known.Window, known.Tokens+size, known.Fixed+size) {
	case budget.NeverFits:
		return k.tooLarge(max(known.Density, budget.Density(size, budget.TextPrice(m.units))))
	case budget.SummariseThen:
		k.compact(abi.TriggerManual)
	}
	k.model.dense[k.seq] = m.dense
	k.add(abi.ContextPiece{Tokens: budget.TextPrice(m.units), Units: m.units, Said: "please"}, 0)
	for range m.steps {
		if outcome := k.request(1); outcome != "" {
			return outcome
		}
		units := int(float64(k.model.window) * k.model.perToken / 20)
		k.add(abi.ContextPiece{Tokens: budget.TextPrice(units), Units: units, Results: 1}, 0)
	}
	return k.request(0)
}

// request makes the turn's next model request, and again where room was made for one that
// was refused.
func (k *talk) request(calls int) (outcome string) {
	for again := range 1 + overflowRetries {
		if k.measure().Compact {
			k.compact(abi.TriggerPressure)
		}
		if prompt := k.prompt(); k.deliver(prompt) {
			k.add(abi.ContextPiece{Tokens: 20, Kind: abi.PieceAnswer, Calls: calls}, prompt)
			return ""
		}
		if again == overflowRetries || !k.compact(abi.TriggerOverflow) {
			break
		}
	}
	k.compact(abi.TriggerManual)
	switch known := k.measure(); {
	case known.Fixed > budget.Limit(known.Window), known.Stuck == abi.SaidFixed:
		return "cramped"
	case known.Tokens > budget.Limit(known.Window): // the message itself is what fills it
		return k.tooLarge(known.Density)
	}
	return "full"
}

// tooLarge is what is offered to a message that is: another model, where the window leaves
// no room to read a file in parts.
func (k *talk) tooLarge(density float64) string {
	known := k.measure()
	if known.Source != abi.Measured {
		if density <= 1 {
			density = 2
		}
		known.Fixed = max(known.Fixed, int(7000*density))
	}
	if budget.Limit(known.Window)-known.Fixed < 4096 {
		return "cramped"
	}
	return "too large"
}

// prompt is the size of the next prompt, as the server counts it.
func (k *talk) prompt() int {
	n := k.model.count(k.model.header)
	for _, p := range k.pieces {
		n += k.model.piece(p, p.Units)
	}
	return n
}

// deliver sends the next prompt, unless it is known that it would be refused: with the
// longer reply first, and with the Harness's where that may be why it was refused.
func (k *talk) deliver(prompt int) bool {
	if k.measure().Hopeless {
		return false
	}
	own := min(32_768, k.model.window/4)
	if reply := k.cap(own); reply != own {
		raised := 0
		if reply > own {
			raised = reply
		}
		if done, again := k.deliverWith(prompt, reply, raised); done || !again {
			return done
		}
	}
	done, _ := k.deliverWith(prompt, own, 0)
	return done
}

// deliverWith sends a prompt with that reply's cap. Raised is the cap where it is longer
// than the Harness's.
func (k *talk) deliverWith(prompt, reply, raised int) (done, again bool) {
	k.sent++
	counted := prompt
	if k.model.strict {
		counted += reply
	}
	if counted <= k.model.window {
		k.least = 0 // what comes after it is another prompt
		return true, false
	}
	code, told := k.model.words(prompt, reply)
	got := k.refusedWith(raised, code, 0, told)
	if !got.Cap {
		k.feed(abi.ContextEvent{Kind: abi.ContextFailed, Code: "CONTEXT_WINDOW_EXCEEDED", Message: told})
	}
	if prompt <= k.model.window { // it was for the reply
		return false, got.Cap
	}
	k.refused++
	price := 0
	for _, p := range k.pieces {
		price += p.Tokens
	}
	if k.least > 0 && price >= k.least && !(k.unclear && raised == 0) {
		k.twice = append(k.twice, fmt.Sprintf("%d tokens", prompt))
	}
	k.least = price
	k.unclear = got.Cap && told == unclearWords // nobody told a size, and at the usual density it would fit
	return false, got.Cap
}

// compact makes room, and tells whether it did.
func (k *talk) compact(trigger string) bool {
	s := k.choose(trigger)
	if s.None {
		return false
	}
	from := slices.IndexFunc(k.pieces, func(p abi.ContextPiece) bool { return p.Seq == s.Start })
	to := slices.IndexFunc(k.pieces, func(p abi.ContextPiece) bool { return p.Seq == s.End })
	k.model.requests, k.model.sizes = nil, nil
	before := k.model.refused
	_, text, err := k.summarize(trigger, k.model, from, to+1)
	k.sent, k.refused = k.sent+len(k.model.requests), k.refused+k.model.refused-before
	if err != nil {
		return false
	}
	k.replace(s.Start, s.End, budget.TextPrice(budget.Units(text))+framePrice-10)
	return true
}

// summaries are what a model makes of a request for one.
var summaries = map[string]func(int, abi.LLMRequest) (abi.LLMAnswer, string){
	"": nil,
	"refused": func(int, abi.LLMRequest) (abi.LLMAnswer, string) {
		return abi.LLMAnswer{Finish: "error", Code: "INVALID_REQUEST", Message: "400: this kind of request is not served"}, ""
	},
	"too long": func(_ int, r abi.LLMRequest) (abi.LLMAnswer, string) {
		return abi.LLMAnswer{Finish: "max-tokens"}, "## Current Work\n" + strings.Repeat("and so on ", max(1, r.MaxTokens/3))
	},
	"broken off": func(int, abi.LLMRequest) (abi.LLMAnswer, string) {
		return abi.LLMAnswer{Finish: "error", Code: "TRANSPORT", Message: "terminated"}, "## Current"
	},
	"going on": func(int, abi.LLMRequest) (abi.LLMAnswer, string) {
		return abi.LLMAnswer{Finish: "stop"}, "Sure, I will look at that next."
	},
}

// TestTalks holds chats of every kind with models of every window, density and way to
// refuse, and whatever comes of their summaries: each message is answered, by itself or by
// one action, and no prompt is sent that is no shorter than one which was refused.
func TestTalks(t *testing.T) {
	kinds := map[string]func(k *talk){
		"a log of 118 KB": func(k *talk) {
			for _, units := range []int{20, 118_000, 20, 20} {
				k.say(message{units: units})
			}
		},
		"1 MB": func(k *talk) {
			for _, units := range []int{1_000_000, 20, 20} {
				k.say(message{units: units})
			}
		},
		"95 %": func(k *talk) {
			for range 14 {
				k.say(message{units: int(float64(k.model.window) * k.model.perToken * 0.95 / 12)})
			}
		},
		"CJK": func(k *talk) {
			for range 8 {
				k.say(message{units: k.model.window / 5, dense: true})
			}
		},
		"pictures": func(k *talk) { // of which the Harness knows next to nothing
			for range 12 {
				for range 5 {
					k.model.dense[k.seq] = true
					k.add(abi.ContextPiece{Tokens: 60, Units: k.model.window / 60}, 0)
				}
				k.say(message{units: 20})
			}
		},
		"long results": func(k *talk) {
			for range 3 {
				k.say(message{units: 20, steps: 9})
			}
		},
	}
	total, refused := 0, 0
	for name, hold := range kinds {
		for _, window := range []int{8192, 12_288, 16_384, 32_768, 65_536, 1_000_000} {
			for _, perToken := range []float64{1, 1.8, 4} {
				for _, status := range []int{400, 413} {
					for summary, says := range summaries {
						for _, counts := range []bool{true, false} {
							k := newTalk(t, window, perToken, status, counts)
							k.model.says = says
							k.model.wording = len(name) + window/1024 + int(perToken) + len(summary) // any, the same with each run
							k.model.strict = status == 400 && k.model.wording%2 == 0
							hold(k)
							total, refused = total+k.sent, refused+k.refused
							if len(k.lost) > 0 || len(k.twice) > 0 || k.refused > 1+overflowRetries+k.sent/10 {
								t.Errorf("%s, %d at %.1f, %d, summaries %q, counts %v: %d requests, %d refused, lost %q, twice %q", name, window, perToken, status, summary, counts, k.sent, k.refused, k.lost, k.twice)
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d of %d requests were refused", refused, total)
}
