package readable

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxOut is where writing ends, in bytes: more than a caller shows of any page.
const maxOut = 1 << 20

// maxCells of a row; what has more is no table to be read.
const maxCells = 64

// writer writes blocks: a line is collected, and flushed as a block of its own.
type writer struct {
	out       strings.Builder
	line      strings.Builder
	space     bool     // white space came since the line's last character
	prefix    []string // before every line: of quotes and lists
	marker    string   // before the first line of a list item
	at        *url.URL
	skipAside bool
	tight     bool // no empty line before the next block
}

// block writes the children of n.
func (w *writer) block(n *html.Node) {
	for c := range n.ChildNodes() {
		w.node(c)
	}
}

func (w *writer) node(n *html.Node) {
	if w.out.Len() > maxOut {
		return
	}
	switch n.Type {
	case html.TextNode:
		w.text(n.Data)
		return
	case html.ElementNode:
	case html.DocumentNode:
		w.block(n)
		return
	default:
		return
	}
	if w.unseen(n) {
		return
	}
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.flush()
		w.block(n)
		if w.line.Len() > 0 {
			w.emit(strings.Repeat("#", int(n.Data[1]-'0')) + " " + strings.ReplaceAll(w.take(), "\n", " "))
		}
	case atom.Br:
		w.line.WriteByte('\n')
		w.space = false
	case atom.Hr:
		w.flush()
		w.emit("---")
	case atom.Pre:
		w.flush()
		w.pre(n)
	case atom.A:
		w.link(n)
	case atom.Img:
		w.image(n)
	case atom.Ul, atom.Ol, atom.Menu:
		w.list(n)
	case atom.Blockquote:
		w.flush()
		w.prefix = append(w.prefix, "> ")
		w.block(n)
		w.flush()
		w.prefix = w.prefix[:len(w.prefix)-1]
	case atom.Table:
		w.flush()
		w.table(n)
	case atom.Dd:
		w.flush()
		w.raw(": ")
		w.block(n)
		w.flush()
	default:
		switch {
		case n.Data == codeElement || n.DataAtom == atom.Kbd || n.DataAtom == atom.Samp:
			w.code(n)
		case isInline(n.DataAtom):
			w.block(n)
		default:
			w.flush()
			w.block(n)
			w.flush()
		}
	}
}

func isInline(a atom.Atom) bool {
	switch a {
	case atom.Span, atom.Abbr, atom.Cite, atom.Q, atom.Sub, atom.Sup, atom.Mark, atom.Time, atom.Var, atom.Dfn, atom.Ins, atom.Del,
		atom.Label, atom.Bdi, atom.Bdo, atom.Data, atom.Wbr, atom.Ruby, atom.Rb, atom.Rt, atom.Rp, atom.Picture, atom.Acronym:
		return true
	}
	return false
}

// text adds to the line what would be shown, escaped.
func (w *writer) text(s string) {
	start := 0
	for i, r := range s {
		if !unicode.IsSpace(r) {
			continue
		}
		w.raw(escape(s[start:i]))
		w.space = true
		start = i + len(string(r))
	}
	w.raw(escape(s[start:]))
}

// raw adds Markdown to the line, after a space if there was one.
func (w *writer) raw(s string) {
	if s == "" {
		return
	}
	if w.space && w.line.Len() > 0 {
		w.line.WriteByte(' ')
	}
	w.space = false
	w.line.WriteString(s)
}

// take gives the line and begins the next.
func (w *writer) take() string {
	s := strings.TrimSpace(w.line.String())
	w.line.Reset()
	w.space = false
	return s
}

// flush writes the line as a paragraph.
func (w *writer) flush() {
	s := w.take()
	if s == "" {
		return
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = lineStart(strings.TrimSpace(l))
	}
	w.emit(lines...)
}

// emit writes lines as a block.
func (w *writer) emit(lines ...string) {
	before := strings.Join(w.prefix, "")
	if w.out.Len() > 0 && !w.tight {
		w.out.WriteString(strings.TrimRight(before, " ") + "\n")
	}
	w.tight = false
	for _, l := range lines {
		if w.marker != "" {
			outer := strings.Join(w.prefix[:len(w.prefix)-1], "")
			w.out.WriteString(outer + w.marker + l + "\n")
			w.marker = ""
			continue
		}
		w.out.WriteString(strings.TrimRight(before+l, " ") + "\n")
	}
}

// aside gives what is below n as one line, without writing it out.
func (w *writer) aside(n *html.Node) string {
	inner := writer{at: w.at, skipAside: w.skipAside}
	inner.inline(n)
	return inner.take()
}

// inline writes all below n as one line.
func (w *writer) inline(n *html.Node) {
	for c := range n.ChildNodes() {
		switch {
		case w.line.Len() > maxOut:
			return
		case c.Type == html.TextNode:
			w.text(c.Data)
		case c.Type != html.ElementNode || w.unseen(c):
		case c.DataAtom == atom.Br:
			w.space = true
		case c.DataAtom == atom.A:
			w.link(c)
		case c.DataAtom == atom.Img:
			w.image(c)
		case c.Data == codeElement:
			w.code(c)
		case isInline(c.DataAtom):
			w.inline(c)
		default:
			w.space = true
			w.inline(c)
			w.space = true
		}
	}
}

// link writes [text](address); of what leads nowhere only the text.
func (w *writer) link(n *html.Node) {
	address := w.resolve(attr(n, "href"))
	if address == "" || hasBlock(n) {
		w.block(n)
		return
	}
	if text := w.aside(n); text != "" {
		w.raw("[" + text + "](" + address + ")")
	}
}

func (w *writer) image(n *html.Node) {
	alt := strings.Join(strings.Fields(attr(n, "alt")), " ")
	if alt == "" {
		return
	}
	if src := w.resolve(attr(n, "src")); src != "" {
		w.raw("![" + escape(alt) + "](" + src + ")")
		return
	}
	w.raw(escape(alt))
}

// hasBlock tells a link around more than a line: a card.
func hasBlock(n *html.Node) bool {
	seen := 0
	for d := range n.Descendants() {
		if seen++; seen > 200 {
			return true
		}
		switch d.DataAtom {
		case atom.P, atom.Div, atom.Ul, atom.Ol, atom.Table, atom.H1, atom.H2, atom.H3, atom.H4, atom.Pre, atom.Blockquote:
			return true
		}
	}
	return false
}

func (w *writer) code(n *html.Node) {
	s := strings.Join(strings.Fields(words(n)), " ")
	if s == "" {
		return
	}
	fence := strings.Repeat("`", longest(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	w.raw(fence + s + fence)
}

func (w *writer) pre(n *html.Node) {
	s := strings.Trim(words(n), "\n")
	if strings.TrimSpace(s) == "" {
		return
	}
	fence := strings.Repeat("`", max(3, longest(s)+1))
	w.emit(append(append([]string{fence + language(n)}, strings.Split(s, "\n")...), fence)...)
}

// language is that of a block of code, by the class that highlighters use.
func language(n *html.Node) string {
	for d := n; d != nil; d = d.FirstChild {
		for class := range strings.FieldsSeq(attr(d, "class")) {
			if name, ok := strings.CutPrefix(class, "language-"); ok && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789+#-") == "" {
				return name
			}
		}
	}
	return ""
}

func (w *writer) list(n *html.Node) {
	w.flush()
	number, err := strconv.Atoi(attr(n, "start"))
	if err != nil || number < 0 {
		number = 1
	}
	for c := range n.ChildNodes() {
		if c.Type != html.ElementNode || w.unseen(c) {
			continue
		}
		marker := "- "
		if n.DataAtom == atom.Ol {
			marker = strconv.Itoa(number) + ". "
			number++
		}
		w.marker = marker
		w.prefix = append(w.prefix, strings.Repeat(" ", len(marker)))
		if len(w.prefix) > 1 || c != first(n) {
			w.tight = w.out.Len() > 0
		}
		if c.DataAtom == atom.Li {
			w.block(c)
		} else {
			w.node(c)
		}
		w.flush()
		w.prefix = w.prefix[:len(w.prefix)-1]
		w.marker = ""
	}
	w.tight = false
}

// first is the first element below n.
func first(n *html.Node) *html.Node {
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode {
			return c
		}
	}
	return nil
}
