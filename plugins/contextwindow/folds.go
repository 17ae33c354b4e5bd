package contextwindow

import (
	"math"
	"strings"
)

// The arithmetic of cards, folds and the archive. Where context.md §3 says that a
// formula is proposed, the choice is the one that it proposes.
const (
	foldMin       = 5000 // tokens that a fold must free
	foldUpgrade   = 1.5  // times as many where a fold becomes part of a larger one
	priceMiss     = 1.0  // of a token that the server's cache does not have
	priceHit      = 0.1  // of one that it has
	maxDeferTurns = 3    // turn ends that a small fold may wait
	cardMin       = 20_000
	cardRounds    = 3
	cardTail      = 32_000 // tokens of the newest rounds that stay
	nudgeGrowth   = 50_000
	inlineChars   = 24_000 // of a restore
)

// foldsIn are the arguments of these functions.
type foldsIn struct {
	Upgrade   bool     `json:"upgrade"`
	Spans     [][2]int `json:"spans"` // tokens before and after
	Tail      int      `json:"tailAfterFirstCut"`
	R         float64  `json:"R"`
	Miss      *float64 `json:"miss"`
	Hit       *float64 `json:"hit"`
	Cold      bool     `json:"cold"`
	Total     int      `json:"total"`
	Reclaimed int      `json:"reclaimed"`
	Net       float64  `json:"net"`
	Waited    int      `json:"waited"`
	PerTurn   []int    `json:"perTurn"`
	Rounds    []int    `json:"roundsNewestFirst"`
	Foldable  int      `json:"foldable"`
	AtLast    int      `json:"atLast"`
	Chars     int      `json:"chars"`
	ToFile    bool     `json:"toFile"`
	Sessions  [][3]any `json:"sessions"` // name, time, bytes
	CapMB     int      `json:"capMB"`
	Current   string   `json:"current"`
	Ledger    int      `json:"ledger"`
	Claim     int      `json:"claim"`
	Price     int      `json:"replacementPrice"`
	Nodes     []int    `json:"nodeHeuristics"`
	Chain     []string `json:"chain"`
}

func (f *foldsIn) function(name string, in *numbersIn) (value any, known bool) {
	switch name {
	case "foldMinBatch":
		return foldMinBatch(in.W, f.Upgrade), true
	case "landing":
		return f.landing(), true
	case "landDecision":
		return f.landDecision(in.Window), true
	case "expectedRequests":
		return expectedRequests(f.PerTurn), true
	case "l1Protected":
		return l1Protected(f.Rounds), true
	case "l1Allowed":
		switch {
		case f.Total < cardMin:
			return "no:below-min", true
		case f.Total*100 > in.Window*65:
			return "no:above-stop", true
		}
		return "yes", true
	case "reminder":
		switch {
		case crowded(f.Total, in.Window):
			return "pressure", true
		case f.Foldable-f.AtLast >= nudgeGrowth:
			return "growth", true
		}
		return "none", true
	case "restoreMode":
		switch {
		case f.ToFile:
			return "file", true
		case f.Chars <= inlineChars:
			return "inline", true
		}
		return "inline-truncated+file-hint", true
	case "evict":
		return f.evict(), true
	case "shadowLedger":
		left := f.Ledger + f.Price - f.Claim
		return object{"messageTokens": left, "legal": left >= 0}, true
	case "currency":
		must := 0
		for _, n := range f.Nodes {
			must += n
		}
		return object{"claimMustBe": must, "ok": f.Claim == must}, true
	case "expansionPath":
		return strings.Join(f.Chain, " → "), true
	}
	return nil, false
}

// crowded tells whether a chat is above three quarters of the window, where folds land
// whatever they cost.
func crowded(total, window int) bool { return total*4 > window*3 }

// foldMinBatch is the least that a batch of folds must free, in tokens.
func foldMinBatch(window int, upgrade bool) int {
	least := max(foldMin, (window+99)/100)
	if upgrade {
		return int(math.Ceil(float64(least) * foldUpgrade))
	}
	return least
}

// landing weighs the one miss of the server's cache, counted from the earliest cut,
// against what the requests to come save.
func (f *foldsIn) landing() object {
	miss, hit := priceMiss, priceHit
	if f.Miss != nil {
		miss = *f.Miss
	}
	if f.Hit != nil {
		hit = *f.Hit
	}
	before, after := 0, 0
	for _, s := range f.Spans {
		before, after = before+s[0], after+s[1]
	}
	once := float64(after+f.Tail) * (miss - hit)
	if f.Cold { // the next request misses all the same
		once = 0
	}
	reclaimed := before - after
	saved := f.R * float64(reclaimed) * hit
	var even any
	if gain := float64(reclaimed) * hit; gain > 0 {
		even = int(math.Ceil(once/gain - 1e-9)) // what floats add
	}
	return object{"reclaimed": reclaimed, "onceCost": round6(once), "saved": round6(saved), "net": round6(saved - once), "breakEvenRequests": even}
}

func (f *foldsIn) landDecision(window int) string {
	if crowded(f.Total, window) {
		return "land:forced"
	}
	why := ""
	switch {
	case f.Reclaimed < foldMinBatch(window, f.Upgrade):
		why = "small"
	case f.Net <= 0:
		why = "unprofitable"
	default:
		return "land"
	}
	if f.Waited >= maxDeferTurns {
		return "drop:" + why
	}
	return "defer:" + why
}

// expectedRequests is how many requests a session is taken to have before it: twice the
// mean of its last five turns.
func expectedRequests(perTurn []int) int {
	const turns, least, most, unknown = 5, 3, 30, 10
	if len(perTurn) == 0 {
		return unknown
	}
	perTurn = perTurn[max(0, len(perTurn)-turns):]
	sum := 0
	for _, n := range perTurn {
		sum += n
	}
	return min(most, max(least, int(math.Round(2*float64(sum)/float64(len(perTurn))))))
}

// l1Protected is what of the newest rounds no card replaces; the newest one always stays.
func l1Protected(newestFirst []int) object {
	rounds, tokens := 0, 0
	for _, n := range newestFirst {
		if rounds > 0 && (rounds >= cardRounds || tokens+n > cardTail) {
			break
		}
		rounds, tokens = rounds+1, tokens+n
	}
	return object{"rounds": rounds, "tokens": tokens}
}

// evict names the sessions whose archive goes, the oldest first and never the current one.
func (f *foldsIn) evict() object {
	left := 0
	for _, s := range f.Sessions {
		left += bytesOf(s)
	}
	removed, most := []string{}, f.CapMB<<20
	gone := make([]bool, len(f.Sessions))
	for left > most {
		oldest := -1
		for i, s := range f.Sessions {
			if !gone[i] && s[0] != f.Current && (oldest < 0 || timeOf(s) < timeOf(f.Sessions[oldest])) {
				oldest = i
			}
		}
		if oldest < 0 {
			break
		}
		gone[oldest] = true
		name, _ := f.Sessions[oldest][0].(string)
		removed, left = append(removed, name), left-bytesOf(f.Sessions[oldest])
	}
	return object{"removed": removed, "bytesLeft": left, "overCap": left > most}
}

func timeOf(session [3]any) float64 {
	n, _ := session[1].(float64)
	return n
}

func bytesOf(session [3]any) int {
	n, _ := session[2].(float64)
	return int(n)
}

// round6 is a number to six places, so that all platforms say the same.
func round6(f float64) float64 { return math.Round(f*1e6) / 1e6 }
