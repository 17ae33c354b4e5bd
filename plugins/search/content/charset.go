package content

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// Names of encodings that are no table of singleByte.
const (
	utf8Name  = "utf-8"
	utf16be   = "utf-16be"
	utf16le   = "utf-16le"
	otherwise = "windows-1252" // what browsers take unlabelled text for
)

// manyBytes are the other encodings of the web, by their names and labels. What
// East Asia wrote before UTF-8 is not read here: its tables are half a megabyte.
var manyBytes = []struct{ name, labels string }{
	{utf8Name, "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8"},
	{utf16be, "unicodefffe utf-16be"},
	{utf16le, "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le"},
	{"gbk", "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk"},
	{"gb18030", "gb18030"},
	{"big5", "big5 big5-hkscs cn-big5 csbig5 x-x-big5"},
	{"euc-jp", "cseucpkdfmtjapanese euc-jp x-euc-jp"},
	{"iso-2022-jp", "csiso2022jp iso-2022-jp"},
	{"shift_jis", "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis"},
	{"euc-kr", "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949"},
}

// lookup gives the name of the encoding with a label; "" for one that is none of
// the web's.
func lookup(label string) string {
	label = strings.ToLower(strings.Trim(label, " \t\n\f\r\"'"))
	for _, e := range manyBytes {
		if slices.Contains(strings.Fields(e.labels), label) {
			return e.name
		}
	}
	if upper(label) != "" {
		return label
	}
	return ""
}

// upper is the table of an encoding that has a byte for a character.
func upper(label string) string {
	for _, e := range singleByte {
		if slices.Contains(strings.Fields(e.labels), label) {
			return e.upper
		}
	}
	return ""
}

// determine tells the encoding of a body: by its byte order mark, the label in
// the header, a meta element near its beginning, or its looks.
func determine(body []byte, contentType string) string {
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return utf8Name
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return utf16be
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return utf16le
	}
	if e := lookup(Parameter(contentType, "charset")); e != "" {
		return e
	}
	if e := fromMeta(body[:min(len(body), 4096)]); e != "" {
		return e
	}
	if utf8.Valid(body) || (IsText(contentType) && !strings.HasPrefix(MediaType(contentType), "text/")) { // JSON and the like are UTF-8
		return utf8Name
	}
	return otherwise
}

// fromMeta is what a meta element says: charset=…, or http-equiv=content-type with
// content=…charset=….
func fromMeta(head []byte) string {
	for z := html.NewTokenizer(bytes.NewReader(head)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			if string(name) != "meta" {
				continue
			}
			var label, content string
			var pragma bool
			for more {
				var key, value []byte
				key, value, more = z.TagAttr()
				switch string(key) {
				case "charset":
					label = string(value)
				case "content":
					content = Parameter(string(value), "charset")
				case "http-equiv":
					pragma = strings.EqualFold(string(value), "content-type")
				}
			}
			if label == "" && pragma {
				label = content
			}
			if strings.HasPrefix(strings.ToLower(label), "utf-16") {
				return utf8Name // or its tag could not have been read
			}
			if e := lookup(label); e != "" {
				return e
			}
		}
	}
}

// Parameter is one of a media type, such as charset; "" when it has none. It reads
// what servers write, not only what the standard allows.
func Parameter(mediaType, name string) string {
	for part := range strings.SplitSeq(mediaType, ";") {
		key, value, found := strings.Cut(part, "=")
		if found && strings.EqualFold(strings.TrimSpace(key), name) {
			return strings.Trim(value, " \t\"'")
		}
	}
	return ""
}

// MediaType is a content type without its parameters, in lower case.
func MediaType(contentType string) string {
	kind, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// IsText tells a content type of text that is none of a page: JSON, XML, CSV …
func IsText(contentType string) bool {
	kind := MediaType(contentType)
	switch kind {
	case "application/json", "application/xml", "application/javascript", "application/x-javascript", "application/x-ndjson",
		"application/yaml", "application/x-yaml", "application/toml", "application/sql", "application/x-sh", "application/graphql":
		return true
	}
	return strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") || (strings.HasPrefix(kind, "text/") && kind != "text/html")
}
