package contextwindow

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/plugins/sdk/sdktest"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/budget"
)

// chat is a session that a test grows, and what the shim does with it.
type chat struct {
	t      testing.TB
	d      *sdktest.Driver
	id     string
	seq    int64
	pieces []abi.ContextPiece // the surface
}

// newChat has a session on a route, its instructions and tools of that price.
func newChat(t testing.TB, window, output, header int) *chat {
	c := &chat{t: t, d: sdktest.New(t, Plugin, nil), id: "s"}
	c.feed(abi.ContextEvent{Kind: abi.ContextHeader, Route: "p/m", System: header*4 - 16, Output: output},
		abi.ContextEvent{Kind: abi.ContextWindow, Window: window})
	return c
}

// feed has the meter observe the next events.
func (c *chat) feed(events ...abi.ContextEvent) {
	c.t.Helper()
	from := c.seq
	for i := range events {
		events[i].Seq = c.seq
		c.seq++
	}
	var got abi.ContextObserved
	if err := c.d.Do("observe", abi.ContextObserve{Session: c.id, Cursor: from, Events: events}, &got); err != nil || got.Stale || got.Cursor != c.seq {
		c.t.Fatalf("observe: %+v, %v", got, err)
	}
}

// add puts a message on the surface. Prompt is the size of the prompt that the server
// reported for it, where it is an answer.
func (c *chat) add(p abi.ContextPiece, prompt int) {
	c.t.Helper()
	p.Seq = c.seq
	if p.Units == 0 {
		p.Units = p.Tokens * 4
	}
	c.pieces = append(c.pieces, p)
	c.feed(abi.ContextEvent{Kind: abi.ContextNode, Tokens: p.Tokens, Prompt: prompt})
}

func (c *chat) user(tokens int) { c.add(abi.ContextPiece{Tokens: tokens, Said: "please"}, 0) }

func (c *chat) answer(tokens, prompt int) {
	c.add(abi.ContextPiece{Tokens: tokens, Kind: abi.PieceAnswer}, prompt)
}

// call adds an answer that makes a call, and its result.
func (c *chat) call(result, prompt int) {
	c.add(abi.ContextPiece{Tokens: 20, Kind: abi.PieceAnswer, Calls: 1}, prompt)
	c.add(abi.ContextPiece{Tokens: result, Results: 1}, 0)
}

func (c *chat) measure() abi.ContextMeasured {
	c.t.Helper()
	var got abi.ContextMeasured
	if err := c.d.Do("measure", abi.ContextMeasure{Session: c.id, Cursor: c.seq}, &got); err != nil {
		c.t.Fatal(err)
	}
	return got
}

func (c *chat) choose(trigger string) abi.ContextSelection {
	c.t.Helper()
	var got abi.ContextSelection
	if err := c.d.Do("select", abi.ContextSurface{Session: c.id, Cursor: c.seq, Trigger: trigger, Nodes: c.pieces, Pruned: true}, &got); err != nil {
		c.t.Fatal(err)
	}
	return got
}

func (c *chat) refused(code string, status int, message string) abi.ContextRefused {
	c.t.Helper()
	return c.refusedWith(0, code, status, message)
}

// refusedWith has a request refused that asked for a longer reply than the Harness's own.
func (c *chat) refusedWith(reply int, code string, status int, message string) abi.ContextRefused {
	c.t.Helper()
	var got abi.ContextRefused
	if err := c.d.Do("refused", abi.ContextRefusal{Session: c.id, Cursor: c.seq, Route: "p/m", Code: code, Status: status, Message: message, Reply: reply}, &got); err != nil {
		c.t.Fatal(err)
	}
	return got
}

// cap is the reply that is asked for where the Harness asks for its own.
func (c *chat) cap(own int) int {
	c.t.Helper()
	var got abi.ContextCapped
	if err := c.d.Do("cap", abi.ContextCap{Session: c.id, Cursor: c.seq, Route: "p/m", Asked: own}, &got); err != nil {
		c.t.Fatal(err)
	}
	return got.MaxTokens
}

// replace puts one node in place of a range, as a compaction does.
func (c *chat) replace(start, end int64, tokens int) {
	c.t.Helper()
	from, to := -1, -1
	for i, p := range c.pieces {
		if p.Seq == start {
			from = i
		}
		if p.Seq == end {
			to = i
		}
	}
	summary := abi.ContextPiece{Seq: c.seq, Tokens: tokens, Units: tokens * 4, Kind: abi.PieceSummary}
	c.pieces = append(append(c.pieces[:from:from], summary), c.pieces[to+1:]...)
	c.feed(abi.ContextEvent{Kind: abi.ContextNode, Tokens: tokens, Replaces: true, Start: start, End: end})
}

// server is a model's server that counts and refuses.
type server struct {
	t        testing.TB
	window   int
	perToken float64 // UTF-16 units a token
	// dense are the messages of which each unit is a token, as those in Chinese.
	dense       map[int64]bool
	pieces      []abi.ContextPiece
	header      int // UTF-16 units of instructions and tools
	instruction int
	// says is the answer to a request that fits; nil is a good summary.
	says func(n int, r abi.LLMRequest) (abi.LLMAnswer, string)
	// status of a refusal: 400 with words, or 413 without.
	status int
	// wording is by which of the ways it refuses with 400, strict that the reply counts too.
	wording int
	strict  bool

	requests []abi.LLMRequest
	kept     int   // how often messages were kept in a file
	sizes    []int // tokens of each request, its reply's cap included
	refused  int
}

// keptPath is the file in which a test keeps what was left out.
const keptPath = anyFile

// goodSummary is what a model that does as it is told writes.
const goodSummary = "## Primary Request and Intent\n- to go on\n\n## Current Work\n- everything so far"

// tokens is the size of a request.
func (s *server) tokens(r abi.LLMRequest) int {
	n := s.count(s.instruction + budget.Units(r.Before) + budget.Units(r.After))
	if r.Whole {
		n += s.count(s.header)
		for _, p := range s.pieces {
			n += s.piece(p, p.Units)
		}
	}
	for _, p := range r.Parts {
		units := s.pieces[p.Message].Units
		if p.Head+p.Tail > 0 {
			units = p.Head + p.Tail + budget.Units(p.Gap)
		}
		n += s.piece(s.pieces[p.Message], units)
	}
	return n
}

func (s *server) count(units int) int { return int(float64(units) / s.perToken) }

// piece is the size of so much of a message.
func (s *server) piece(p abi.ContextPiece, units int) int {
	if s.dense[p.Seq] {
		return units
	}
	return s.count(units)
}

// serve answers a request.
func (s *server) serve(r abi.LLMRequest) (abi.LLMAnswer, string) {
	prompt := s.tokens(r)
	s.requests = append(s.requests, r)
	s.sizes = append(s.sizes, prompt)
	if prompt+r.MaxTokens > s.window {
		s.refused++
		a := abi.LLMAnswer{Finish: "error"}
		a.Code, a.Message = s.words(prompt, r.MaxTokens)
		return a, ""
	}
	if s.says != nil {
		return s.says(len(s.requests), r)
	}
	return abi.LLMAnswer{Finish: "stop", Input: prompt, Output: 50}, goodSummary
}

// unclearWords say neither what is too long nor by how much.
const unclearWords = "400: context length exceeded"

// words are the Harness's code and the server's words of a refusal.
func (s *server) words(prompt, reply int) (code, text string) {
	if s.status == 413 {
		return "INVALID_REQUEST", "413: "
	}
	if s.strict {
		ways := []string{
			fmt.Sprintf("400: This model's maximum context length is %d tokens. However, you requested %d tokens (%d in the messages, %d in the completion).", s.window, prompt+reply, prompt, reply),
			fmt.Sprintf("400: Your request exceeded model token limit: %d (requested: %d)", s.window, prompt+reply),
			fmt.Sprintf("400: Input validation error: `inputs` tokens + `max_new_tokens` must be <= %d. Given: %d `inputs` tokens and %d `max_new_tokens`", s.window, prompt, reply),
			unclearWords,
		}
		return "INVALID_REQUEST", ways[s.wording/2%len(ways)]
	}
	ways := []string{
		fmt.Sprintf("400: This model's maximum context length is %d tokens. However, your messages resulted in %d tokens.", s.window, prompt),
		fmt.Sprintf("400: request (%d tokens) exceeds the available context size (%d tokens), try increasing it", prompt, s.window),
		"400: Your input exceeds the context window of this model. Please adjust your input and try again.",
		fmt.Sprintf("400: context length exceeded: prompt has %d tokens, limit %d", prompt, s.window),
		fmt.Sprintf("400: Input length %d exceeds the maximum %d", prompt, s.window),
		unclearWords,
	}
	return "INVALID_REQUEST", ways[s.wording/2%len(ways)]
}

// summarize runs op summarize of these messages against a server.
func (c *chat) summarize(trigger string, s *server, from, to int) (abi.ContextSummary, string, error) {
	c.t.Helper()
	s.pieces = c.pieces[from:to]
	in := abi.ContextSource{Session: c.id, Trigger: trigger, Window: s.window, Asked: 8192, System: s.header, Messages: s.pieces, Instruction: s.instruction}
	call := c.d.Start("summarize", in, nil)
	for n := 0; call.Status == sdk.Waiting; n++ {
		if n > 2000 {
			c.t.Fatal("it asks on and on")
		}
		e := call.Effects()[0]
		if e.Kind == abi.EffectSleep {
			call.Answer(e, struct{}{}, nil)
			continue
		}
		if e.Kind == abi.EffectRestorePut {
			s.kept++
			call.Answer(e, abi.RestorePutAnswer{Path: keptPath}, nil)
			continue
		}
		a, text := s.serve(llmRequest(c.t, call))
		call.Answer(e, a, []byte(text))
	}
	if call.Err != nil {
		c.feed(abi.ContextEvent{Kind: abi.ContextEnded, Message: call.Err.Error()})
		return abi.ContextSummary{}, "", call.Err
	}
	c.feed(abi.ContextEvent{Kind: abi.ContextBegun, Message: string(call.Body[:min(300, len(call.Body))])}, abi.ContextEvent{Kind: abi.ContextEnded})
	var made abi.ContextSummary
	if err := json.Unmarshal(call.Head, &made); err != nil {
		c.t.Fatal(err)
	}
	return made, string(call.Body), nil
}

// llmRequest is the model request that a call waits for.
func llmRequest(t testing.TB, call *sdktest.Call) (r abi.LLMRequest) {
	t.Helper()
	if err := json.Unmarshal(call.Effects()[0].Head, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// covered are the messages that the requests which were not refused took in, in order.
func (s *server) covered() []int {
	var out []int
	for i, r := range s.requests {
		if s.sizes[i]+r.MaxTokens > s.window {
			continue
		}
		for _, p := range r.Parts {
			out = append(out, p.Message)
		}
	}
	return out
}

func long(n int) string { return strings.Repeat("word ", n/5) }
