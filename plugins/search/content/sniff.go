package content

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Kind is what a body is.
type Kind struct {
	Page   bool   // HTML
	Binary string // what it is instead of text, in words: "a PDF file"
}

// magic are the beginnings of files that are sent under any content type.
var magic = []struct{ begins, is string }{
	{"%PDF-", "a PDF file"}, {"PK\x03\x04", "an archive"}, {"PK\x05\x06", "an archive"}, {"Rar!", "an archive"},
	{"7z\xbc\xaf", "an archive"}, {"\x1f\x8b", "an archive"}, {"BZh", "an archive"}, {"\xfd7zXZ", "an archive"},
	{"\x89PNG", "a picture"}, {"GIF8", "a picture"}, {"\xff\xd8\xff", "a picture"}, {"RIFF", "a media file"},
	{"OggS", "a media file"}, {"ID3", "a media file"}, {"\x7fELF", "a program"}, {"MZ\x90", "a program"}, {"\x00asm", "a program"},
}

// Sniff tells what a body is by its content type, and by its bytes: a type may lie
// or be missing.
func Sniff(body []byte, contentType string) Kind {
	for _, m := range magic {
		if bytes.HasPrefix(body, []byte(m.begins)) {
			return Kind{Binary: m.is}
		}
	}
	kind := MediaType(contentType)
	group, _, _ := strings.Cut(kind, "/")
	switch {
	case len(body) == 0:
		return Kind{}
	case group == "image":
		return Kind{Binary: "a picture"}
	case group == "audio" || group == "video":
		return Kind{Binary: "a media file"}
	case group == "font":
		return Kind{Binary: "a font"}
	case kind == "application/pdf":
		return Kind{Binary: "a PDF file"}
	}
	head := body[:min(len(body), 4096)]
	wide := bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
	if !wide && bytes.IndexByte(head, 0) >= 0 {
		return Kind{Binary: "data that is no text"}
	}
	switch {
	case kind == "text/html" || kind == "application/xhtml+xml":
		return Kind{Page: true}
	case IsText(contentType):
		return Kind{}
	case looksLikePage(head):
		return Kind{Page: true}
	case wide || utf8.Valid(body):
		return Kind{}
	}
	return Kind{Binary: "data that is no text"}
}

// looksLikePage tells HTML by its beginning.
func looksLikePage(head []byte) bool {
	s := strings.ToLower(strings.TrimLeft(string(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))), " \t\r\n"))
	for _, begins := range []string{"<!doctype html", "<html", "<head", "<body", "<title", "<meta", "<script", "<div", "<p>", "<h1", "<table", "<!--"} {
		if strings.HasPrefix(s, begins) {
			return true
		}
	}
	return false
}
