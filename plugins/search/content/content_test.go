package content

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/htmlindex"
)

// The tables are those of golang.org/x/text, label by label.
func TestTables(t *testing.T) {
	if len(singleByte) != 27 {
		t.Fatalf("%d tables", len(singleByte))
	}
	for _, one := range singleByte {
		for label := range strings.FieldsSeq(one.labels) {
			e, err := htmlindex.Get(label)
			if err != nil {
				t.Fatal(err)
			}
			bytes := make([]byte, 0x80)
			for i := range bytes {
				bytes[i] = byte(0x80 + i)
			}
			want, err := e.NewDecoder().Bytes(bytes)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), one.upper); diff != "" {
				t.Errorf("%s (-want +got):\n%s", label, diff)
			}
		}
	}
	for _, one := range manyBytes {
		for label := range strings.FieldsSeq(one.labels) {
			e, err := htmlindex.Get(label)
			if err != nil {
				t.Fatal(err)
			}
			if name, _ := htmlindex.Name(e); name != one.name {
				t.Errorf("%s is %s, not %s", label, name, one.name)
			}
		}
	}
}

func TestDecode(t *testing.T) {
	for _, c := range []struct{ name, body, contentType, want, unread string }{
		{"UTF-8", "caf\xc3\xa9", "text/html; charset=utf-8", "café", ""},
		{"no label, valid UTF-8 far down", strings.Repeat("x", 2000) + "é", "text/html", strings.Repeat("x", 2000) + "é", ""},
		{"no label, not UTF-8", "\x93caf\xe9\x94", "text/html", "“café”", ""},
		{"invalid bytes one by one", "a\xe9\xe9b", "text/html; charset=utf-8", "a\ufffd\ufffdb", ""},
		{"latin1 is windows-1252", "\x93\x94", "text/plain; charset=iso-8859-1", "“”", ""},
		{"header beats meta", "<meta charset=utf-8>\xcf\xf0", "text/html; charset=windows-1251", "<meta charset=utf-8>Пр", ""},
		{"BOM beats header", "\xef\xbb\xbf\xc3\xa9", "text/html; charset=iso-8859-1", "é", ""},
		{"meta", "<meta charset='koi8-r'>\xd0", "text/html", "<meta charset='koi8-r'>п", ""},
		{"meta http-equiv", "<META content='text/html; charset=windows-1250' http-equiv=Content-Type>\x9a", "", "<META content='text/html; charset=windows-1250' http-equiv=Content-Type>š", ""},
		{"meta of another pragma", "<meta http-equiv=refresh content='0;charset=koi8-r'>\xe9", "", "<meta http-equiv=refresh content='0;charset=koi8-r'>é", ""},
		{"UTF-16LE", "\xff\xfeh\x00i\x00\x3d\xd8\x00\xde", "text/plain", "hi😀", ""},
		{"UTF-16BE, broken", "\xfe\xff\x00h\xd8\x3d\x00i\x00", "text/plain", "h\ufffdi\ufffd", ""},
		{"quoted label", "\xcf", `text/html; charset="windows-1251"`, "П", ""},
		{"unknown label", "caf\xc3\xa9", "text/html; charset=x-nonsense", "café", ""},
		{"JSON", "\"\xe9\"", "application/json", "\"\ufffd\"", ""},
		{"not read here", "<b>\xc4\xe3", "text/html; charset=GB2312", "<b>\ufffd\ufffd", "gbk"},
		{"empty", "", "text/html", "", ""},
	} {
		if text, unread := Decode([]byte(c.body), c.contentType); text != c.want || unread != c.unread {
			t.Errorf("%s: %q %q, want %q %q", c.name, text, unread, c.want, c.unread)
		}
	}
}

func pack(t *testing.T, make func(io.Writer) io.WriteCloser, text string) []byte {
	var out bytes.Buffer
	w := make(&out)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestUnpack(t *testing.T) {
	zip := func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }
	raw := func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 9); return f }
	text := strings.Repeat("some text ", 1000)
	zipped := pack(t, zip, text)
	for _, c := range []struct {
		name, coding string
		body         []byte
		want         string
		truncated    bool
		fails        bool
	}{
		{"none", "", []byte(text), text, false, false},
		{"gzip", "gzip", zipped, text, false, false},
		{"twice", "gzip, gzip", pack(t, zip, string(zipped)), text, false, false},
		{"zlib", "deflate", pack(t, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }, text), text, false, false},
		{"raw deflate", "Deflate", pack(t, raw, text), text, false, false},
		{"plain as gzip", "gzip", []byte(text), "", false, true},
		{"brotli", "br", []byte("x"), "", false, true},
		{"too many", "gzip, gzip, gzip, gzip", zipped, "", false, true},
		{"bomb", "gzip", pack(t, zip, strings.Repeat("\x00", 3*MaxBytes)), strings.Repeat("\x00", MaxBytes), true, false},
		{"long", "", bytes.Repeat([]byte("x"), MaxBytes+1), strings.Repeat("x", MaxBytes), true, false},
		{"empty", "gzip", nil, "", false, false},
	} {
		got, truncated, err := Unpack(c.body, c.coding)
		if string(got) != c.want || truncated != c.truncated || (err != nil) != c.fails {
			t.Errorf("%s: %d bytes, truncated %v, %v", c.name, len(got), truncated, err)
		}
	}
	cut, truncated, err := Unpack(zipped[:len(zipped)/2], "gzip")
	if !truncated || err != nil || len(cut) == 0 || !strings.HasPrefix(text, string(cut)) {
		t.Errorf("cut: %d bytes, truncated %v, %v", len(cut), truncated, err)
	}
	if _, _, err := Unpack([]byte("x"), "zstd"); !errors.Is(err, ErrCoding) {
		t.Errorf("zstd: %v", err)
	}
}
