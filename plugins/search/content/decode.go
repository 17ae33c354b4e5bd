// Package content turns what a server sent into text: its Content-Encoding is
// undone and its characters are decoded, by byte order mark, header, meta element
// or their looks, in this order.
package content

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxBytes of a body after its Content-Encoding was undone, and of its text; the
// rest is cut off. It is the limit of the Harness's own fetch provider.
const MaxBytes = 5_000_000

// maxCodings of one body; a server that names more plays a game.
const maxCodings = 3

// ErrCoding is a Content-Encoding that is not gzip or deflate.
var ErrCoding = errors.New("unsupported content encoding")

// Header gives a header by its name in lower case, whatever case it came in.
func Header(headers map[string]string, name string) string {
	if v, ok := headers[name]; ok {
		return strings.TrimSpace(v)
	}
	for n, v := range headers {
		if strings.EqualFold(n, name) {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// Text is the body as UTF-8 text without a byte order mark; bytes that are no
// characters become U+FFFD. truncated says that the body broke off or was longer
// than MaxBytes; what there is of it is given.
func Text(body []byte, headers map[string]string) (text string, truncated bool, err error) {
	body, truncated, err = Unpack(body, Header(headers, "content-encoding"))
	if err != nil {
		return "", false, err
	}
	text, _ = Decode(body, Header(headers, "content-type"))
	return text, truncated, nil
}

// Unpack undoes a Content-Encoding.
func Unpack(body []byte, coding string) (_ []byte, truncated bool, err error) {
	codings := strings.FieldsFunc(strings.ToLower(coding), func(r rune) bool { return r == ',' || r == ' ' })
	if len(codings) > maxCodings {
		return nil, false, fmt.Errorf("%w: %d of them", ErrCoding, len(codings))
	}
	for i := len(codings) - 1; i >= 0 && len(body) > 0; i-- {
		var cut bool
		if body, cut, err = unpack(body, codings[i]); err != nil {
			return nil, false, err
		}
		truncated = truncated || cut
	}
	if len(body) > MaxBytes {
		return body[:MaxBytes], true, nil
	}
	return body, truncated, nil
}

func unpack(body []byte, coding string) (_ []byte, truncated bool, err error) {
	var r io.Reader
	switch coding {
	case "identity":
		return body, false, nil
	case "gzip", "x-gzip":
		r, err = gzip.NewReader(bytes.NewReader(body))
	case "deflate": // zlib by the standard, raw from some servers
		if r, err = zlib.NewReader(bytes.NewReader(body)); err != nil {
			r, err = flate.NewReader(bytes.NewReader(body)), nil
		}
	default:
		return nil, false, fmt.Errorf("%w %q", ErrCoding, coding)
	}
	if err != nil {
		return nil, false, fmt.Errorf("undoing %s: %w", coding, err)
	}
	out, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil && len(out) == 0 {
		return nil, false, fmt.Errorf("undoing %s: %w", coding, err)
	}
	if len(out) > MaxBytes {
		return out[:MaxBytes], true, nil
	}
	return out, err != nil, nil
}

// Decode is a body's characters as UTF-8. unread names the body's encoding when
// it is one that is not read here; the text is then only what is ASCII of it.
func Decode(body []byte, contentType string) (text, unread string) {
	switch name := determine(body, contentType); name {
	case utf8Name:
	case utf16be:
		return decodeUTF16(body, binary.BigEndian), ""
	case utf16le:
		return decodeUTF16(body, binary.LittleEndian), ""
	default:
		table := upper(name)
		if table == "" {
			return validUTF8(body), name
		}
		return decodeBytes(body, []rune(table)), ""
	}
	return strings.TrimPrefix(validUTF8(body), "\uFEFF"), ""
}

// decodeBytes decodes an encoding that has a byte for a character.
func decodeBytes(body []byte, table []rune) string {
	var out strings.Builder
	out.Grow(min(len(body)+len(body)/4, MaxBytes))
	for _, b := range body {
		if out.Len() >= MaxBytes {
			break
		}
		if b < utf8.RuneSelf {
			out.WriteByte(b)
		} else {
			out.WriteRune(table[b-utf8.RuneSelf])
		}
	}
	return out.String()
}

func decodeUTF16(body []byte, order binary.ByteOrder) string {
	var out strings.Builder
	out.Grow(min(len(body), MaxBytes))
	for i := 0; i+1 < len(body) && out.Len() < MaxBytes; i += 2 {
		r := rune(order.Uint16(body[i:]))
		if utf16.IsSurrogate(r) {
			low := rune(utf8.RuneError)
			if i+3 < len(body) {
				low = rune(order.Uint16(body[i+2:]))
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				i += 2
			}
		}
		out.WriteRune(r)
	}
	if len(body)%2 == 1 {
		out.WriteRune(utf8.RuneError)
	}
	return strings.TrimPrefix(out.String(), "\uFEFF")
}

// validUTF8 replaces each byte that is no character. Unlike strings.ToValidUTF8
// it makes one U+FFFD of each.
func validUTF8(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	out.Grow(min(len(b)+len(b)/8, MaxBytes))
	for len(b) > 0 && out.Len() < MaxBytes {
		r, n := utf8.DecodeRune(b)
		out.WriteRune(r)
		b = b[n:]
	}
	return out.String()
}
