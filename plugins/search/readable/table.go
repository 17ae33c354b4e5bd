package readable

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// table writes rows and columns; one that only lays a page out is written as
// blocks.
func (w *writer) table(n *html.Node) {
	var rows []*html.Node
	layout := attr(n, "role") == "presentation"
	widest := 0
	for d := range n.Descendants() {
		switch d.DataAtom {
		case atom.Table, atom.Ul, atom.Ol, atom.Pre, atom.H1, atom.H2, atom.Form:
			layout = true
		case atom.Tr:
			rows = append(rows, d)
			widest = max(widest, len(cells(d)))
		}
		if layout {
			break
		}
	}
	if layout || widest < 2 || widest > maxCells {
		w.rowsAsBlocks(n)
		return
	}
	lines := make([]string, 0, len(rows)+1)
	for _, r := range rows {
		if w.unseen(r) {
			continue
		}
		line := "|"
		for _, c := range cells(r) {
			line += " " + strings.ReplaceAll(w.aside(c), "|", `\|`) + " |"
		}
		line += strings.Repeat("  |", widest-len(cells(r)))
		if lines = append(lines, line); len(lines) == 1 {
			lines = append(lines, "|"+strings.Repeat(" --- |", widest))
		}
		if w.size(lines) > maxOut {
			break
		}
	}
	w.emit(lines...)
}

func (w *writer) size(lines []string) int {
	n := len(lines) // every line is about as long as the last, which is enough to end in time
	return w.out.Len() + n*len(lines[n-1])
}

func (w *writer) rowsAsBlocks(n *html.Node) {
	for c := range n.ChildNodes() {
		if c.Type != html.ElementNode {
			continue
		}
		switch c.DataAtom {
		case atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr:
			w.rowsAsBlocks(c)
		default:
			w.flush()
			w.block(c)
			w.flush()
		}
	}
}

func cells(row *html.Node) (all []*html.Node) {
	for c := range row.ChildNodes() {
		if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
			all = append(all, c)
		}
	}
	return all
}
