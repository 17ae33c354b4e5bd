package budget_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"strata.dev/bridge/proto/budget"
)

// input has the arguments of all functions in testdata/arith-cases.json; a null is nil.
type input struct {
	W          int
	Remaining  int
	Prompt     int
	Caller     int
	Measured   *int
	Harness    int
	Then       *int
	Now        int
	Tokens     int
	D          float64
	O          int
	Retain     int  `json:"retainTokens"`
	Headroom   *int `json:"b"`
	S          string
	Blocks     []block
	N          int
	Window     int
	Whole      *int
	Alone      *int
	Fixed      int
	SummaryCap int
	Carry      int
	Units      []int
	First      int
	Rest       int
	Size       int
	Accepts    int
	Finishes   []string
	Used       int
	Answered   bool
}

type block struct {
	Type      string
	UTF16     int
	Name      int
	Arguments int
	Texts     []int
}

func (b block) price() int {
	switch b.Type {
	case "text":
		return budget.TextPrice(b.UTF16)
	case "tool-call":
		return budget.CallPrice(b.Name, b.Arguments)
	}
	var texts []int
	for _, units := range b.Texts {
		texts = append(texts, budget.TextPrice(units))
	}
	return budget.ResultPrice(texts...)
}

type object = map[string]any

func compaction(c budget.Compaction, ok bool) any {
	if !ok {
		return object{"error": "no-pressure-budget"}
	}
	return object{"threshold": c.Threshold, "retain": c.Retain}
}

func or(n *int, missing int) int {
	if n == nil {
		return missing
	}
	return *n
}

// functions answers each case in the shape of its expected value.
var functions = map[string]func(in input) any{
	"localOutputBudget": func(in input) any { return budget.LocalOutput(in.W) },
	"replyCap":          func(in input) any { return budget.ReplyCap(in.W) },
	"safetyRoom": func(in input) any {
		if tokens, ok := budget.SafetyRoom(in.W, in.Remaining); ok {
			return tokens
		}
		return nil
	},
	"outputCap":   func(in input) any { return budget.OutputCap(in.W, in.Prompt, in.Caller) },
	"densityOf":   func(in input) any { return budget.Density(or(in.Measured, 0), in.Harness) },
	"pressureNow": func(in input) any { return budget.Pressure(or(in.Measured, 0), or(in.Then, 0), in.Now) },
	"nodePrice":   func(in input) any { return budget.NodePrice(in.Tokens, in.D) },
	"trigger01":   func(in input) any { return compaction(budget.CompactionByRatio(in.W), true) },
	"trigger02": func(in input) any {
		return compaction(budget.CompactionByRoom(in.W, in.O, or(in.Headroom, budget.StockHeadroom), in.Retain))
	},
	"headroomFor":   func(in input) any { return budget.Headroom(in.W, in.O) },
	"heuristicText": func(in input) any { return budget.TextPrice(budget.Units(in.S)) },
	"heuristicMessage": func(in input) any {
		var prices []int
		for _, b := range in.Blocks {
			prices = append(prices, b.price())
		}
		return budget.MessagePrice(prices...)
	},
	"prunedLen": func(in input) any { return budget.PrunedLength(in.N) },
	"decideFit": func(in input) any {
		return budget.DecideFit(in.Window, or(in.Whole, budget.Uncounted), or(in.Alone, budget.Uncounted))
	},
	"pieceBudget": func(in input) any { return budget.PieceBudget(in.W, in.Fixed, in.SummaryCap, in.Carry) },
	"packPieces": func(in input) any {
		p := budget.Pack(in.Units, in.First, in.Rest)
		return object{"pieces": p.Pieces, "cutForRequest": append([]int{}, p.Cut...)}
	},
	"halvings": func(in input) any {
		tries := []int{in.Size}
		for size := in.Size; size > in.Accepts; {
			half, ok := budget.Halve(size)
			if !ok {
				return object{"tries": tries, "accepted": nil}
			}
			tries, size = append(tries, half), half
		}
		return object{"tries": tries, "accepted": tries[len(tries)-1]}
	},
	"afterCut": func(in input) any {
		var after []string
		cut := 0
		for _, finish := range in.Finishes {
			switch {
			case finish != "max-tokens":
				after = append(after, "done")
			case cut < budget.MostContinued:
				cut++
				after = append(after, "continue-smaller")
			default:
				after = append(after, "stop:tell-user")
			}
		}
		return after
	},
	"guard": func(in input) any {
		says := []string{}
		if budget.Reached(in.Used, in.Window, budget.FullPercent) {
			says = append(says, "stop-turn:context")
		}
		if !in.Answered && budget.Reached(in.Used, in.Window, budget.OutOfRoomPercent) {
			says = append(says, "say:out-of-room")
		}
		return says
	},
}

// elsewhere are the functions about folds, cards, the archive and search: the context
// plugin's alone, tested there with the same file.
var elsewhere = []string{
	"bm25", "currency", "evict", "expansionPath", "expectedRequests", "foldMinBatch", "l1Allowed", "l1Protected",
	"landDecision", "landing", "reminder", "restoreMode", "shadowLedger", "sharedPrefix", "terms",
}

func TestCases(t *testing.T) {
	file, err := os.ReadFile("testdata/arith-cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases struct {
		Tolerance float64 `json:"number_tolerance"`
		Cases     []struct {
			ID, Fn   string
			Input    json.RawMessage
			Expected any
		}
	}
	if err := json.Unmarshal(file, &cases); err != nil {
		t.Fatal(err)
	}
	ran := map[string]bool{}
	for _, c := range cases.Cases {
		fn := functions[c.Fn]
		if fn == nil {
			if !slices.Contains(elsewhere, c.Fn) {
				t.Errorf("%s: nobody tests %s", c.ID, c.Fn)
			}
			continue
		}
		ran[c.Fn] = true
		var in input
		if err := json.Unmarshal(c.Input, &in); err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		if diff := cmp.Diff(c.Expected, plain(t, fn(in)), cmpopts.EquateApprox(0, cases.Tolerance)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.ID, diff)
		}
	}
	if len(ran) != len(functions) {
		t.Errorf("the file has cases of %d functions, %d are known", len(ran), len(functions))
	}
}

// plain is the value as JSON gives it.
func plain(t *testing.T, value any) any {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
