package conformance

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Runner drives one host side through cases.
type Runner struct {
	Host    Host
	Modules map[string]string // path of the module that carries a plugin
	HTTP    string            // address of Server
	// Patience is how long an event may take; it says when a host hangs, not how
	// fast one is. 0 is a minute.
	Patience time.Duration
	// Settle, when not 0, is the quiet after which a step is over whatever it
	// wants: for writing cases.
	Settle time.Duration

	showOps bool
}

// scriptLine is a command as a case writes it.
type scriptLine struct {
	Command
	Text    string     `json:"text"`    // body, as text
	Fill    int        `json:"fill"`    // body of so many bytes x
	Replace [][]string `json:"replace"` // of equal length, in the module's bytes
	Ops     bool       `json:"ops"`     // the names of ops are part of what opened shows
}

// shownEvent is an event as a case writes it.
type shownEvent struct {
	Event
	Text  string `json:"text,omitempty"`  // body that is text
	Bytes int    `json:"bytes,omitempty"` // length of a body, head or message over longest
	Sum   string `json:"sha256,omitempty"`
}

// longest is what a case shows of a body, head or message in full.
const longest = 1024

// Run gives what came back, step by step, in the order of compare; dir is an
// empty folder for the case. An error says that the host side hung, died or
// said more than the case names.
func (r *Runner) Run(c *Case, dir string) ([][]string, error) {
	if err := c.unpack(dir); err != nil {
		return nil, fmt.Errorf("unpacking the case: %w", err)
	}
	opened := map[string]bool{}
	got, err := r.converse(c, dir, opened)
	return got, errors.Join(err, r.shut(opened, dir))
}

// converse goes through the steps and notes which instances they leave open.
func (r *Runner) converse(c *Case, dir string, opened map[string]bool) (got [][]string, err error) {
	for _, s := range c.Steps {
		for _, line := range s.Send {
			cmd, err := r.command(line, dir)
			if err != nil {
				return got, err
			}
			if err := r.Host.Send(cmd); err != nil {
				return got, fmt.Errorf("sending %s: %w", line, err)
			}
		}
		events, err := r.receive(len(s.Want))
		for _, e := range events {
			switch e.On {
			case "opened":
				opened[e.Instance] = true
			case "closed":
				delete(opened, e.Instance)
			}
		}
		got = append(got, r.show(events, dir))
		if err != nil {
			return got, err
		}
	}
	return got, nil
}

// shut closes what a case left open. Whatever else comes before the last
// instance has closed, the case does not name.
func (r *Runner) shut(opened map[string]bool, dir string) error {
	var extra []Event
	for instance := range opened {
		if err := r.Host.Send(Command{Do: "close", Instance: instance}); err != nil {
			return fmt.Errorf("closing %s: %w", instance, err)
		}
		for {
			e, err := r.next(r.patience())
			if err != nil {
				return err
			}
			if e.On == "closed" && e.Instance == instance {
				break
			}
			extra = append(extra, e)
		}
	}
	select {
	case e := <-r.Host.Events():
		extra = append(extra, e)
	default:
	}
	if len(extra) > 0 {
		return fmt.Errorf("the host side says more than the case names: %q", r.show(extra, dir))
	}
	return nil
}

// Want is what a step must give, in the order of compare.
func (s Step) want() ([]string, error) {
	var events []shownEvent
	for _, line := range s.Want {
		var e shownEvent
		if err := strict(line, &e); err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return format(events), nil
}

// receive waits for n events or, when cases are written, for all that come.
func (r *Runner) receive(n int) ([]Event, error) {
	var events []Event
	patience := r.patience()
	for n > 0 && (r.Settle != 0 || len(events) < n) {
		e, err := r.next(patience)
		switch {
		case err == errHangs && r.Settle != 0:
			return events, nil
		case err != nil:
			return events, fmt.Errorf("after %d of %d events: %w", len(events), n, err)
		}
		events = append(events, e)
		patience = cmp.Or(r.Settle, patience)
	}
	return events, nil
}

var errHangs = errors.New("the host side hangs")

func (r *Runner) patience() time.Duration { return cmp.Or(r.Patience, time.Minute) }

func (r *Runner) next(patience time.Duration) (Event, error) {
	select {
	case e, ok := <-r.Host.Events():
		if !ok {
			return e, errors.New("the host side died")
		}
		return e, nil
	case <-time.After(patience):
		return Event{}, errHangs
	}
}

// command fills in what a case leaves out.
func (r *Runner) command(line, dir string) (Command, error) {
	line = strings.NewReplacer("$DIR", dir, "$HTTP", r.HTTP, "$PROBE", r.Modules["probe"]).Replace(line)
	var s scriptLine
	if err := strict(line, &s); err != nil {
		return Command{}, err
	}
	switch {
	case s.Text != "":
		s.Body = []byte(s.Text)
	case s.Fill > 0:
		s.Body = bytes.Repeat([]byte("x"), s.Fill)
	}
	if s.Do != "open" {
		return s.Command, nil
	}
	r.showOps = s.Ops
	if s.Wasm == "" {
		s.Wasm = r.Modules[s.Plugin]
	}
	if s.Store == "" {
		s.Store = filepath.Join(dir, "store")
	}
	module, err := os.ReadFile(s.Wasm)
	if err != nil {
		return Command{}, err
	}
	if len(s.Replace) > 0 {
		for _, pair := range s.Replace {
			if len(pair) != 2 || len(pair[0]) != len(pair[1]) || bytes.Count(module, []byte(pair[0])) == 0 {
				return Command{}, fmt.Errorf("%q cannot be replaced in the module", pair)
			}
			module = bytes.ReplaceAll(module, []byte(pair[0]), []byte(pair[1]))
		}
		s.Wasm = filepath.Join(dir, "patched.wasm")
		if err := os.WriteFile(s.Wasm, module, 0o600); err != nil {
			return Command{}, err
		}
	}
	if s.SHA256 == "" {
		s.SHA256 = sumOf(module)
	}
	return s.Command, nil
}

// show writes events as cases do.
func (r *Runner) show(events []Event, dir string) []string {
	var shown []shownEvent
	for _, e := range events {
		s := shownEvent{Event: e}
		switch {
		case len(e.Body) > longest:
			s.Bytes, s.Sum, s.Body = len(e.Body), sumOf(e.Body), nil
		case len(e.Body) > 0 && utf8.Valid(e.Body):
			s.Text, s.Body = string(e.Body), nil
		}
		if len(e.Head) > longest {
			s.Bytes, s.Sum, s.Head = len(e.Head), sumOf([]byte(e.Head)), ""
		}
		if first, _, isStack := strings.Cut(e.Message, "\ngoroutine "); isStack {
			s.Message = first + "\n…" // a stack names lines of the guest's source
		} else if len(e.Message) > longest {
			s.Bytes, s.Sum, s.Message = len(e.Message), sumOf([]byte(e.Message)), ""
		}
		if !r.showOps {
			s.Ops = nil
		}
		shown = append(shown, s)
	}
	lines := format(shown)
	for i := range lines {
		lines[i] = strings.NewReplacer(dir, "$DIR", r.HTTP, "$HTTP").Replace(lines[i])
	}
	return lines
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// format orders events by what they belong to and writes one line each. Those of
// one call or instance stay in their order, but for its effects, which a host
// side may start at once: they come first, by number.
func format(events []shownEvent) []string {
	number := func(e shownEvent) int {
		if e.On == "effect" {
			return e.N
		}
		return math.MaxInt
	}
	slices.SortStableFunc(events, func(a, b shownEvent) int {
		return cmp.Or(
			strings.Compare(a.Instance+"\x00"+a.Call, b.Instance+"\x00"+b.Call),
			cmp.Compare(number(a), number(b)),
		)
	})
	var lines []string
	for _, e := range events {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(e); err != nil {
			panic(err) // strings, numbers and bytes
		}
		lines = append(lines, strings.TrimSpace(b.String()))
	}
	return lines
}
