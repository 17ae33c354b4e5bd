// Package markup reads HTML pages within bounds. A page can be made to fill a
// plugin's memory of 64 MiB or to take minutes: unclosed formatting elements alone
// are cloned by a parser into every paragraph that follows. So a page is pruned
// before it is parsed: what is not looked at goes, and there is only so much of it.
package markup

import (
	"io"
	"strings"

	"golang.org/x/net/html"
)

// Limits of what is read of a page. Real ones are a tenth of it.
const (
	maxTags       = 50_000
	maxTokenBytes = 1_200_000 // of one tag, script or text; the page ends there
	maxAttrBytes  = 8 << 10   // of one attribute; it is cut there
	maxAttrs      = 8         // of one element
)

// View is what is looked at of pages.
type View struct {
	// Attributes by name; others go.
	Attributes map[string]bool
	// Formatting elements by name, and what stands for them: an element that the
	// parser does not clone, or "" for their text alone. All of the standard's must
	// be here (Formatting).
	Formatting map[string]string
	// Unread elements go with their content, but for their attributes. All of those
	// whose content is no markup must be here or in Raw.
	Unread map[string]bool
	// Raw elements hold text that is no markup, which is kept.
	Raw map[string]bool
}

// Formatting is a View's that keeps only the text of formatting elements.
func Formatting() map[string]string {
	return map[string]string{
		"b": "", "big": "", "code": "", "em": "", "font": "", "i": "", "nobr": "", "s": "",
		"small": "", "strike": "", "strong": "", "tt": "", "u": "",
	}
}

// Unread is a View's that reads no text but the page's own.
func Unread() map[string]bool {
	return map[string]bool{
		"script": true, "style": true, "title": true, "textarea": true, "iframe": true, "noembed": true,
		"noframes": true, "noscript": true, "xmp": true, "plaintext": true,
	}
}

// Parse is a page's tree; nil for one that is nested deeper than any page. cut tells
// that the page is longer than what was looked at.
func (v View) Parse(page string) (doc *html.Node, cut bool) {
	pruned, cut := v.Prune(page)
	doc, err := html.Parse(strings.NewReader(pruned))
	if err != nil {
		return nil, cut
	}
	return doc, cut
}

// Prune is a page with only the elements, attributes and text that are looked at. cut
// tells that a limit ended it before the page did.
func (v View) Prune(page string) (pruned string, cut bool) {
	var out strings.Builder
	z := html.NewTokenizer(strings.NewReader(page))
	z.SetMaxBuf(maxTokenBytes)
	skip := ""
	for tags := 0; tags <= maxTags; {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return out.String(), z.Err() != io.EOF
		case html.TextToken:
			if skip == "" {
				out.Write(z.Raw())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			tag, more := z.TagName()
			name, shown := v.shown(string(tag))
			if skip != "" || !shown {
				continue
			}
			tags++
			out.WriteByte('<')
			out.WriteString(name)
			if more {
				v.attributes(z, &out)
			}
			out.WriteByte('>')
			if v.Unread[name] {
				skip = name
				out.WriteString("</" + name + ">")
			}
		case html.EndTagToken:
			tag, _ := z.TagName()
			name, shown := v.shown(string(tag))
			switch {
			case skip == string(tag):
				skip = ""
			case skip == "" && shown:
				tags++
				out.WriteString("</" + name + ">")
			}
		}
	}
	return out.String(), true
}

// shown is an element's name in the pruned page; shown is false for one of which
// only the text stays.
func (v View) shown(tag string) (name string, shown bool) {
	name, formatting := v.Formatting[tag]
	if !formatting {
		return tag, true
	}
	return name, name != ""
}

// attributes writes those of a tag that are looked at, each once.
func (v View) attributes(z *html.Tokenizer, out *strings.Builder) {
	var done [maxAttrs]string
	for n, more := 0, true; more && n < len(done); {
		var key, value []byte
		key, value, more = z.TagAttr()
		name := string(key)
		if !v.Attributes[name] {
			continue
		}
		again := false
		for _, d := range done[:n] {
			again = again || d == name
		}
		if again {
			continue
		}
		done[n] = name
		n++
		out.WriteString(" " + name + `="`)
		out.WriteString(html.EscapeString(string(value[:min(len(value), maxAttrBytes)])))
		out.WriteByte('"')
	}
}
