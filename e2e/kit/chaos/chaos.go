// Package chaos runs a system through random actions and faults and looks after
// each whether what must hold still does. All chance comes from one seed, which a
// failure prints; the same seed plays the same actions again.
package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// Action is one thing that may be done to a system of type S.
type Action[S any] struct {
	Name   string
	Weight int // how often beside the others; 0 is 1
	// Can tells whether it may be done now; nil is always.
	Can func(S) bool
	// Do does it. Chance comes from r alone. What it gives goes into the history.
	Do func(ctx context.Context, s S, r *rand.Rand) (string, error)
}

// Invariant is what must hold after each action. Its name goes into the history.
type Invariant[S any] struct {
	Name  string
	Check func(ctx context.Context, s S) error
}

// Plan is a run: Rounds systems, each with its own seed, Steps actions each.
type Plan[S any] struct {
	Name string
	// New makes a fresh system; what it starts it ends with t.
	New        func(ctx context.Context, t testing.TB, r *rand.Rand) S
	Actions    []Action[S]
	Invariants []Invariant[S] // after every action
	AtEnd      []Invariant[S] // after the last one of a round, once things are quiet
	Rounds     int
	Steps      int
	Limit      time.Duration // for one round; a hang is a failure. 0 is two minutes
	Artifacts  string        // folder for what a failure leaves
	// Save puts more into a failed round's folder, such as logs; nil is nothing.
	Save func(s S, dir string) error
}

// The environment that replays and lengthens runs.
const (
	EnvSeed   = "STRATA_CHAOS_SEED"   // one round with this seed
	EnvRounds = "STRATA_CHAOS_ROUNDS" // so many rounds instead of Plan.Rounds
)

// Run plays the plan, a subtest for each round named by its seed.
func Run[S any](t *testing.T, p Plan[S]) {
	t.Helper()
	seeds, err := p.seeds(os.Getenv, rand.Uint64)
	if err != nil {
		t.Fatal(err)
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) { p.round(t, seed) })
		if t.Failed() {
			return // the first failure is the one to look at
		}
	}
}

func (p Plan[S]) seeds(getenv func(string) string, random func() uint64) ([]uint64, error) {
	if p.Rounds < 1 || p.Steps < 1 || len(p.Actions) == 0 || len(p.Invariants)+len(p.AtEnd) == 0 {
		return nil, fmt.Errorf("chaos %s: a plan wants rounds, steps, actions and something to check", p.Name)
	}
	if text := getenv(EnvSeed); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", EnvSeed, err)
		}
		return []uint64{seed}, nil
	}
	rounds := p.Rounds
	if text := getenv(EnvRounds); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%s: %q is no number of rounds", EnvRounds, text)
		}
		rounds = n
	}
	seeds := make([]uint64, rounds)
	for i := range seeds {
		seeds[i] = random()
	}
	return seeds, nil
}

func (p Plan[S]) round(t *testing.T, seed uint64) {
	limit := p.Limit
	if limit == 0 {
		limit = 2 * time.Minute
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	r := rand.New(rand.NewPCG(seed, 0))
	s := p.New(ctx, t, r)
	h := &History{Plan: p.Name, Seed: seed}
	if err := p.play(ctx, s, r, h); err != nil {
		h.Failure = err.Error()
		dir, saved := h.save(p.Artifacts)
		if saved == nil && p.Save != nil {
			saved = p.Save(s, dir)
		}
		t.Errorf("%v\nhistory: %s (saving it: %v)\nplay it again: %s=%d go test -run '^%s$'", err, dir, saved, EnvSeed, seed, rootName(t))
	}
}

// play does the steps; its error says which one broke what.
func (p Plan[S]) play(ctx context.Context, s S, r *rand.Rand, h *History) error {
	for step := range p.Steps {
		a, ok := p.pick(s, r)
		if !ok {
			return fmt.Errorf("step %d: no action can be done", step)
		}
		note, err := a.Do(ctx, s, r)
		h.add(a.Name, note, err)
		if err != nil {
			return fmt.Errorf("step %d, %s: %w", step, a.Name, err)
		}
		if err := check(ctx, s, p.Invariants); err != nil {
			return fmt.Errorf("step %d, after %s: %w", step, a.Name, err)
		}
	}
	if err := check(ctx, s, p.AtEnd); err != nil {
		return fmt.Errorf("at the end: %w", err)
	}
	return nil
}

// pick takes an action that can be done, by weight.
func (p Plan[S]) pick(s S, r *rand.Rand) (Action[S], bool) {
	var able []Action[S]
	total := 0
	for _, a := range p.Actions {
		if a.Can == nil || a.Can(s) {
			able = append(able, a)
			total += max(1, a.Weight)
		}
	}
	if total == 0 {
		return Action[S]{}, false
	}
	at := r.IntN(total)
	for _, a := range able {
		if at -= max(1, a.Weight); at < 0 {
			return a, true
		}
	}
	panic("chaos: weights do not add up")
}

func check[S any](ctx context.Context, s S, all []Invariant[S]) error {
	for _, inv := range all {
		if err := inv.Check(ctx, s); err != nil {
			return fmt.Errorf("%q does not hold: %w", inv.Name, err)
		}
	}
	return nil
}
