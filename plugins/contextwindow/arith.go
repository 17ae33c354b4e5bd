package contextwindow

import (
	"encoding/json"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/budget"
)

// numbersIn are the arguments of all functions; a null, or one that is left out, is nil.
type numbersIn struct {
	W          int      `json:"w"`
	Remaining  int      `json:"remaining"`
	Prompt     int      `json:"prompt"`
	Caller     int      `json:"caller"`
	Measured   *int     `json:"measured"`
	Harness    *int     `json:"harness"`
	Then       *int     `json:"then"`
	Now        int      `json:"now"`
	Tokens     int      `json:"tokens"`
	D          float64  `json:"d"`
	O          int      `json:"o"`
	Retain     int      `json:"retainTokens"`
	B          any      `json:"b"` // of trigger02 the headroom, of sharedPrefix a text
	S          string   `json:"s"`
	Blocks     []block  `json:"blocks"`
	N          int      `json:"n"`
	Window     int      `json:"window"`
	Whole      *int     `json:"whole"`
	Alone      *int     `json:"alone"`
	Fixed      int      `json:"fixed"`
	SummaryCap int      `json:"summaryCap"`
	Carry      int      `json:"carry"`
	Units      []int    `json:"units"`
	First      int      `json:"first"`
	Rest       int      `json:"rest"`
	Size       int      `json:"size"`
	Accepts    int      `json:"accepts"`
	Finishes   []string `json:"finishes"`
	Used       int      `json:"used"`
	Answered   bool     `json:"answered"`

	foldsIn
	textsIn
}

// block is a content block by its lengths in UTF-16 units.
type block struct {
	Type      string `json:"type"`
	UTF16     int    `json:"utf16"`
	Name      int    `json:"name"`
	Arguments int    `json:"arguments"`
	Texts     []int  `json:"texts"`
}

func (b block) price() int {
	switch b.Type {
	case "tool-call":
		return budget.CallPrice(b.Name, b.Arguments)
	case "tool-result":
		var texts []int
		for _, units := range b.Texts {
			texts = append(texts, budget.TextPrice(units))
		}
		return budget.ResultPrice(texts...)
	}
	return budget.TextPrice(b.UTF16)
}

type object = map[string]any

func or(n *int, missing int) int {
	if n == nil {
		return missing
	}
	return *n
}

// function computes one of them.
func function(name string, in *numbersIn) (value any, known bool) {
	switch name {
	case "localOutputBudget":
		return budget.LocalOutput(in.W), true
	case "replyCap":
		return budget.ReplyCap(in.W), true
	case "safetyRoom":
		if tokens, ok := budget.SafetyRoom(in.W, in.Remaining); ok {
			return tokens, true
		}
		return nil, true
	case "outputCap":
		return budget.OutputCap(in.W, in.Prompt, in.Caller), true
	case "densityOf":
		return budget.Density(or(in.Measured, 0), or(in.Harness, 0)), true
	case "pressureNow":
		return budget.Pressure(or(in.Measured, 0), or(in.Then, 0), in.Now), true
	case "nodePrice":
		return budget.NodePrice(in.Tokens, in.D), true
	case "trigger01":
		c := budget.CompactionByRatio(in.W)
		return object{"threshold": c.Threshold, "retain": c.Retain}, true
	case "trigger02":
		headroom := budget.StockHeadroom
		if b, ok := in.B.(float64); ok {
			headroom = int(b)
		}
		c, ok := budget.CompactionByRoom(in.W, in.O, headroom, in.Retain)
		if !ok {
			return object{"error": "no-pressure-budget"}, true
		}
		return object{"threshold": c.Threshold, "retain": c.Retain}, true
	case "headroomFor":
		return budget.Headroom(in.W, in.O), true
	case "heuristicText":
		return budget.TextPrice(budget.Units(in.S)), true
	case "heuristicMessage":
		var prices []int
		for _, b := range in.Blocks {
			prices = append(prices, b.price())
		}
		return budget.MessagePrice(prices...), true
	case "prunedLen":
		return budget.PrunedLength(in.N), true
	case "decideFit":
		return budget.DecideFit(in.Window, or(in.Whole, budget.Uncounted), or(in.Alone, budget.Uncounted)), true
	case "pieceBudget":
		return budget.PieceBudget(in.W, in.Fixed, in.SummaryCap, in.Carry), true
	case "packPieces":
		p := budget.Pack(in.Units, in.First, in.Rest)
		return object{"pieces": append([][]int{}, p.Pieces...), "cutForRequest": append([]int{}, p.Cut...)}, true
	case "halvings":
		return halvings(in.Size, in.Accepts), true
	case "afterCut":
		return afterCut(in.Finishes), true
	case "guard":
		return guard(in.Used, in.Window, in.Answered), true
	}
	if value, known = in.foldsIn.function(name, in); known {
		return value, true
	}
	return in.textsIn.function(name, in)
}

func halvings(size, accepts int) object {
	tries := []int{size}
	for size > accepts {
		half, ok := budget.Halve(size)
		if !ok {
			return object{"tries": tries, "accepted": nil}
		}
		tries, size = append(tries, half), half
	}
	return object{"tries": tries, "accepted": size}
}

func afterCut(finishes []string) []string {
	after, cut := []string{}, 0
	for _, finish := range finishes {
		switch {
		case finish != finishCut:
			after = append(after, "done")
		case cut < budget.MostContinued:
			cut++
			after = append(after, "continue-smaller")
		default:
			after = append(after, "stop:tell-user")
		}
	}
	return after
}

func guard(used, window int, answered bool) []string {
	says := []string{}
	if budget.Reached(used, window, budget.FullPercent) {
		says = append(says, "stop-turn:context")
	}
	if !answered && budget.Reached(used, window, budget.OutOfRoomPercent) {
		says = append(says, "say:out-of-room")
	}
	return says
}

func arith(_ *sdk.Task, in abi.ContextArith) (abi.ContextArithAnswer, error) {
	var numbers numbersIn
	if len(in.Input) > 0 {
		if err := json.Unmarshal(in.Input, &numbers); err != nil {
			return abi.ContextArithAnswer{}, sdk.Errorf(abi.CodeBadInput, "The input of %s cannot be read: %v.", in.Fn, err)
		}
	}
	value, known := function(in.Fn, &numbers)
	if !known {
		return abi.ContextArithAnswer{}, sdk.Errorf(abi.CodeBadInput, "There is no function %s.", in.Fn)
	}
	return abi.ContextArithAnswer{Value: value}, nil
}
