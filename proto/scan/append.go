package scan

import "unicode/utf8"

const hexDigits = "0123456789abcdef"

// asWritten are the bytes that a string of JSON holds as they are.
var asWritten = func() (is [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		is[c] = ordinary[c] && c != '<' && c != '>' && c != '&'
	}
	return is
}()

// AppendText appends a string as JSON, byte for byte as encoding/json writes it:
// with html the characters <, > and & are escaped, as json.Marshal does.
func AppendText(out []byte, s string, html bool) []byte {
	out = append(out, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if asWritten[c] {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			if !html && (c == '<' || c == '>' || c == '&') {
				i++
				continue
			}
			out = append(out, s[from:i]...)
			switch c {
			case '"', '\\':
				out = append(out, '\\', c)
			case '\b':
				out = append(out, `\b`...)
			case '\f':
				out = append(out, `\f`...)
			case '\n':
				out = append(out, `\n`...)
			case '\r':
				out = append(out, `\r`...)
			case '\t':
				out = append(out, `\t`...)
			default:
				out = append(out, `\u00`...)
				out = append(out, hexDigits[c>>4], hexDigits[c&15])
			}
			i++
			from = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			out = append(out, s[from:i]...)
			out = append(out, `\ufffd`...)
			from = i + size
		case r == '\u2028', r == '\u2029':
			out = append(out, s[from:i]...)
			out = append(out, `\u202`...)
			out = append(out, hexDigits[r&15])
			from = i + size
		}
		i += size
	}
	out = append(out, s[from:]...)
	return append(out, '"')
}
