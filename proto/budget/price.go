package budget

import "unicode/utf16"

// What the Harness's token meter (dsh-token-meter 0.1.0-rc.8 to 0.2) reckons with. Its
// ledger is kept in these prices alone; a claim in any other makes a session unreadable.
const (
	unitsPerToken = 4 // UTF-16 units
	blockPrice    = 4
	messagePrice  = 4
)

// Units is the length of a text in UTF-16 units, as the Harness counts it.
func Units(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// TextPrice is the Harness's price of a text block of that many UTF-16 units.
func TextPrice(units int) int {
	return quarter(units) + blockPrice
}

// CallPrice is the Harness's price of a tool call's block, from the UTF-16 units of the
// tool's name and of its arguments.
func CallPrice(name, arguments int) int {
	return quarter(name) + quarter(arguments) + blockPrice
}

// ResultPrice is the Harness's price of a tool result's block, from the prices of the
// blocks in it.
func ResultPrice(content ...int) int {
	return sum(content) + blockPrice
}

// MessagePrice is the Harness's price of a message, from the prices of its blocks.
func MessagePrice(blocks ...int) int {
	return sum(blocks) + messagePrice
}

// What the Harness's pruner leaves of a long text, in code points.
const (
	pruneAbove = 8192
	prunedTo   = 4096 + 39 + 1024 // its beginning, the mark, its end
)

// PrunedLength is how many of a tool result's code points are left after the Harness's
// pruner.
func PrunedLength(codePoints int) int {
	if codePoints <= pruneAbove {
		return codePoints
	}
	return prunedTo
}

func quarter(units int) int {
	return (units + unitsPerToken - 1) / unitsPerToken
}

func sum(prices []int) int {
	total := 0
	for _, p := range prices {
		total += p
	}
	return total
}
