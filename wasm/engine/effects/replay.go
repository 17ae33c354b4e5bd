package effects

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/engine"
)

// Replay answers effects from a file of JSON lines.
type Replay struct {
	mu    sync.Mutex
	lines []replayLine
}

// replayLine is one prepared answer.
type replayLine struct {
	Kind string `json:"kind"`
	// Op narrows the line to effects of one op; "" is any.
	Op string `json:"op"`
	// Match narrows it to heads that hold at least these members with these
	// values (objects are compared the same way, all else as a whole).
	Match json.RawMessage `json:"match"`
	// Times is how often the line answers; 0 is without end.
	Times int `json:"times"`

	// One of the two.
	Answer *replayAnswer    `json:"answer"`
	Error  *abi.EffectError `json:"error"`

	match any
	used  int
}

type replayAnswer struct {
	Head json.RawMessage `json:"head"` // left out: {}
	Body string          `json:"body"` // text
	Raw  []byte          `json:"bodyBase64"`
}

// ReadReplay reads an effects file. Empty lines are skipped; an error names its line.
func ReadReplay(r io.Reader) (*Replay, error) {
	p := &Replay{}
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			l, perr := parseReplayLine(line)
			if perr != nil {
				return nil, fmt.Errorf("line %d: %w", n, perr)
			}
			p.lines = append(p.lines, l)
		}
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func parseReplayLine(line []byte) (l replayLine, err error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields() // a misspelt member would match everything
	if err := dec.Decode(&l); err != nil {
		return l, err
	}
	switch {
	case l.Kind == "":
		return l, errors.New(`it has no "kind"`)
	case (l.Answer == nil) == (l.Error == nil):
		return l, errors.New(`it needs either "answer" or "error"`)
	}
	if len(l.Match) > 0 {
		err = json.Unmarshal(l.Match, &l.match)
	}
	return l, err
}

// Effects answers every kind that the file has a line for. An effect that no
// line fits is refused with a sentence that says so.
func (p *Replay) Effects() engine.Effects {
	all := engine.Effects{}
	for _, l := range p.lines {
		all[l.Kind] = p.answer
	}
	return all
}

// answer takes the first line that fits and is not used up.
func (p *Replay) answer(_ context.Context, e engine.Effect) ([]byte, []byte, error) {
	var head any
	if len(e.Head) > 0 {
		if err := json.Unmarshal(e.Head, &head); err != nil {
			return nil, nil, because(err, abi.CodeBadInput, abi.MsgEffectHead, "kind", e.Kind)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.lines {
		l := &p.lines[i]
		if l.Kind != e.Kind || l.Op != "" && l.Op != e.Op || l.Times > 0 && l.used >= l.Times || !holds(head, l.match) {
			continue
		}
		l.used++
		if l.Error != nil {
			return nil, nil, l.Error
		}
		return l.Answer.Head, append([]byte(l.Answer.Body), l.Answer.Raw...), nil
	}
	return nil, nil, refuse(abi.CodeRefused, "No line of the effects file answers this {kind}: {head}.", "kind", e.Kind, "head", string(e.Head))
}

// holds tells whether v has all that want names.
func holds(v, want any) bool {
	w, ok := want.(map[string]any)
	if !ok {
		return want == nil || reflect.DeepEqual(v, want)
	}
	have, ok := v.(map[string]any)
	if !ok {
		return false
	}
	for key, wanted := range w {
		if value, there := have[key]; !there || wanted == nil && value != nil || !holds(value, wanted) {
			return false
		}
	}
	return true
}
