package fit

import (
	"fmt"
	"strings"

	"strata.dev/bridge/proto/budget"
)

const (
	// quoted is how much of either end of a text goes beside its file, in UTF-16 units:
	// a question stands at one of them.
	quoted = 600
	// unmeasured is how many UTF-16 units a token of a text is taken for where its chat's
	// density is not known: what logs and code have.
	unmeasured = 2.0
	// unknownWindow is taken for a window that is not known, in tokens.
	unknownWindow = 32_768
)

// Attached is the message that stands for a text which is kept in a file.
func Attached(text, path string) string {
	head, tail := ends(text, quoted, quoted)
	return fmt.Sprintf("I attached a long text (%d characters, %d lines) as the file %s. Read it in parts, with an offset and a limit, or search it.\n\n"+
		"It begins:\n\n%s\n\n[…]\n\nIt ends:\n\n%s", budget.Units(text), strings.Count(text, "\n")+1, path, head, tail)
}

// Preview is a text shortened to a quarter of the chat's window: its beginning and its end.
func Preview(text string, c Chat) string {
	window, perToken := c.Window, unmeasured
	if window <= 0 {
		window = unknownWindow
	}
	if c.Density > 0 && c.Source == "measured" {
		perToken = min(unmeasured, 4/c.Density)
	}
	units := int(float64(window/4) * perToken)
	if budget.Units(text) <= units {
		return text
	}
	head, tail := ends(text, units*3/4, units/4)
	left := budget.Units(text) - budget.Units(head) - budget.Units(tail)
	return fmt.Sprintf("%s\n\n[… %d characters were left out here …]\n\n%s", head, left, tail)
}

// ends are the first and the last UTF-16 units of a text, cut at characters, and at
// lines where these are short.
func ends(text string, first, last int) (head, tail string) {
	if budget.Units(text) <= first+last {
		return text, ""
	}
	at, n := len(text), 0
	for i, r := range text {
		if n += budget.Units(string(r)); n > first {
			at = i
			break
		}
	}
	head = text[:at]
	from, n := 0, 0
	for i := len(text); i > at; {
		size := 1
		for i-size > at && text[i-size]&0xC0 == 0x80 {
			size++
		}
		if n += budget.Units(text[i-size : i]); n > last {
			from = i
			break
		}
		i -= size
		from = i
	}
	tail = text[max(from, at):]
	if line := strings.LastIndexByte(head, '\n'); line > len(head)*3/4 {
		head = head[:line]
	}
	if line := strings.IndexByte(tail, '\n'); line >= 0 && line < len(tail)/4 {
		tail = tail[line+1:]
	}
	return head, tail
}
