package source

import (
	"strings"

	"golang.org/x/net/html"
)

// What of a page is read. Real ones are a tenth of it; a plugin's memory is
// 64 MiB, and a page may be made to fill it: unclosed formatting elements alone
// are cloned by the parser into every paragraph that follows.
const (
	maxTags       = 50_000
	maxTokenBytes = 1_200_000 // of one tag, script or text; the page ends there
	maxAttrBytes  = 8 << 10   // of one attribute; it is cut there
)

// kept are the attributes that are looked at.
var kept = map[string]bool{"class": true, "id": true, "href": true, "src": true, "action": true}

// formatting elements say how text looks. Without them the text is the same.
var formatting = map[string]bool{
	"b": true, "big": true, "code": true, "em": true, "font": true, "i": true, "nobr": true, "s": true,
	"small": true, "strike": true, "strong": true, "tt": true, "u": true,
}

// unread are the elements whose content is no text of the page.
var unread = map[string]bool{
	"script": true, "style": true, "title": true, "textarea": true, "iframe": true, "noembed": true,
	"noframes": true, "noscript": true, "xmp": true, "plaintext": true,
}

// parse is a page's tree, without what is not looked at; nil for one that is
// nested deeper than any page.
func parse(page string) *html.Node {
	doc, err := html.Parse(strings.NewReader(prune(page)))
	if err != nil {
		return nil
	}
	return doc
}

// prune is a page with only the elements, attributes and text that are looked at.
func prune(page string) string {
	var out strings.Builder
	z := html.NewTokenizer(strings.NewReader(page))
	z.SetMaxBuf(maxTokenBytes)
	skip := ""
	for tags := 0; tags <= maxTags; {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return out.String()
		case html.TextToken:
			if skip == "" {
				out.Write(z.Raw())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			if skip != "" || formatting[string(name)] {
				continue
			}
			tags++
			element := string(name)
			out.WriteByte('<')
			out.WriteString(element)
			if more {
				attributes(z, &out)
			}
			out.WriteByte('>')
			if unread[element] {
				skip = element
				out.WriteString("</" + element + ">")
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			switch {
			case skip == string(name):
				skip = ""
			case skip == "" && !formatting[string(name)]:
				tags++
				out.WriteString("</")
				out.Write(name)
				out.WriteByte('>')
			}
		}
	}
	return out.String()
}

// attributes writes those of a tag that are looked at, each once.
func attributes(z *html.Tokenizer, out *strings.Builder) {
	var done [5]string
	for n, more := 0, true; more && n < len(done); {
		var key, value []byte
		key, value, more = z.TagAttr()
		name := string(key)
		if !kept[name] {
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
