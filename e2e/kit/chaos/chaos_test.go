package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// account is a toy: a balance that a log must explain, even after a crash.
type account struct {
	balance int
	log     []int
	lossy   bool // a crash loses the log's last entry: the planted bug
}

func plan(lossy bool) Plan[*account] {
	return Plan[*account]{
		Name: "toy",
		New:  func(context.Context, testing.TB, *rand.Rand) *account { return &account{lossy: lossy} },
		Actions: []Action[*account]{
			{Name: "put", Weight: 3, Do: func(_ context.Context, a *account, r *rand.Rand) (string, error) {
				n := 1 + r.IntN(100)
				a.balance += n
				a.log = append(a.log, n)
				return fmt.Sprint(n), nil
			}},
			{Name: "take", Can: func(a *account) bool { return a.balance > 0 }, Do: func(_ context.Context, a *account, r *rand.Rand) (string, error) {
				n := 1 + r.IntN(a.balance)
				a.balance -= n
				a.log = append(a.log, -n)
				return fmt.Sprint(n), nil
			}},
			{Name: "crash", Do: func(_ context.Context, a *account, _ *rand.Rand) (string, error) {
				if a.lossy && len(a.log) > 5 {
					a.log = a.log[:len(a.log)-1]
				}
				return "", nil
			}},
		},
		Invariants: []Invariant[*account]{{Name: "the log explains the balance", Check: func(_ context.Context, a *account) error {
			sum := 0
			for _, n := range a.log {
				sum += n
			}
			if sum != a.balance {
				return fmt.Errorf("the log says %d, the balance is %d", sum, a.balance)
			}
			return nil
		}}},
		Rounds: 5, Steps: 200,
	}
}

func TestGoodSystem(t *testing.T) { Run(t, plan(false)) }

// The planted bug is found, and a seed plays the very same history again.
func TestFindsAndReplays(t *testing.T) {
	play := func(seed uint64) (*History, error) {
		p, h := plan(true), &History{Plan: "toy", Seed: seed}
		r := rand.New(rand.NewPCG(seed, 0))
		return h, p.play(context.Background(), p.New(context.Background(), t, r), r, h)
	}
	h, err := play(7)
	if err == nil {
		t.Fatal("the bug was not found")
	}
	again, errAgain := play(7)
	if diff := cmp.Diff(h, again); diff != "" || err.Error() != errAgain.Error() {
		t.Errorf("the same seed plays differently (-first +again):\n%s\n%v\n%v", diff, err, errAgain)
	}
	other, _ := play(8)
	if cmp.Equal(h.Events, other.Events) {
		t.Error("another seed plays the same")
	}
	if last := h.Events[len(h.Events)-1].Action; last != "crash" {
		t.Errorf("it was found after %s", last)
	}
	h.Failure = err.Error()
	dir, err := h.save(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(dir) != "toy-7" {
		t.Errorf("saved in %s", dir)
	}
	data, err := os.ReadFile(filepath.Join(dir, "history.json"))
	if err != nil {
		t.Fatal(err)
	}
	var saved History
	if err := json.Unmarshal(data, &saved); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*h, saved); diff != "" {
		t.Errorf("saved (-want +got):\n%s", diff)
	}
}

func TestActionErrorAndStuck(t *testing.T) {
	p := plan(false)
	p.Actions = []Action[*account]{{Name: "boom", Do: func(context.Context, *account, *rand.Rand) (string, error) {
		return "", errors.New("no")
	}}}
	h := &History{}
	err := p.play(context.Background(), &account{}, rand.New(rand.NewPCG(1, 0)), h)
	if err == nil || err.Error() != "step 0, boom: no" {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff([]Event{{Step: 0, Action: "boom", Error: "no"}}, h.Events); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	p.Actions[0].Can = func(*account) bool { return false }
	if err := p.play(context.Background(), &account{}, rand.New(rand.NewPCG(1, 0)), &History{}); err == nil || err.Error() != "step 0: no action can be done" {
		t.Errorf("got %v", err)
	}
	p = plan(false)
	p.AtEnd = []Invariant[*account]{{Name: "poor", Check: func(context.Context, *account) error { return errors.New("rich") }}}
	if err := p.play(context.Background(), &account{}, rand.New(rand.NewPCG(1, 0)), &History{}); err == nil || err.Error() != `at the end: "poor" does not hold: rich` {
		t.Errorf("got %v", err)
	}
}

func TestSeeds(t *testing.T) {
	n := uint64(0)
	random := func() uint64 { n++; return n }
	env := func(seed, rounds string) func(string) string {
		return func(name string) string { return map[string]string{EnvSeed: seed, EnvRounds: rounds}[name] }
	}
	for _, tt := range []struct {
		seed, rounds string
		want         []uint64
		err          string
	}{
		{"", "", []uint64{1, 2, 3, 4, 5}, ""},
		{"", "2", []uint64{6, 7}, ""},
		{"42", "9", []uint64{42}, ""},
		{"x", "", nil, `STRATA_CHAOS_SEED: strconv.ParseUint: parsing "x": invalid syntax`},
		{"", "0", nil, `STRATA_CHAOS_ROUNDS: "0" is no number of rounds`},
	} {
		got, err := plan(false).seeds(env(tt.seed, tt.rounds), random)
		if diff := cmp.Diff(tt.want, got); diff != "" || (err != nil || tt.err != "") && (err == nil || err.Error() != tt.err) {
			t.Errorf("seed %q rounds %q: %v %v", tt.seed, tt.rounds, got, err)
		}
	}
	empty := plan(false)
	empty.Invariants = nil
	if _, err := empty.seeds(env("", ""), random); err == nil {
		t.Error("a plan that checks nothing was taken")
	}
}
