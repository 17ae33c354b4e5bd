package webtext

import "testing"

func TestVisible(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "Plain text.\n\tAnd more.", "Plain text.\n\tAnd more."},
		{"terminal escape", "a\x1b[31mred\x1b[0m\x07", "a[31mred[0m"},
		{"bidi override", "file\u202Egnp.exe\u202C", "filegnp.exe"},
		{"bidi isolates and marks", "\u2066a\u2069\u200E\u200Fb\u061C", "ab"},
		{"zero width", "pass\u200Bword\uFEFF\u2060", "password"},
		{"joiners between ASCII", "pass\u200Dwo\u200Crd", "password"},
		{"tags", "hi\U000E0049\U000E0067\U000E006E", "hi"},
		{"selectors as bytes", "😀\U000E0100\U000E0148\uFE01", "😀"},
		{"family", "👩\u200D🍳 kitchen", "👩\u200D🍳 kitchen"},
		{"heart", "♥\uFE0F and 1\uFE0F\u20E3", "♥\uFE0F and 1\uFE0F\u20E3"},
		{"selector after a letter", "a\uFE0Fb", "ab"},
		{"Persian", "می\u200Cخواهم", "می\u200Cخواهم"},
		{"joiners in a row", "क\u200D\u200D\u200Dष", "क\u200Dष"},
		{"fillers", "a\u3164b\u2800c\u115Fd", "abcd"},
		{"private use", "a\uE000b", "ab"},
		{"line separators", "a\u2028b\u2029c", "abc"},
		{"carriage return", "a\rb", "ab"},
		{"Arabic stays", "دليل الشاي", "دليل الشاي"},
	} {
		if got := Visible(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestEscape(t *testing.T) {
	if got, want := Escape("a](http://evil.example) *b* <script> \\ `c` | ~d~ # e_f"), `a\](http://evil.example) \*b\* \<script\> \\ \`+"`c\\`"+` \| \~d\~ \# e\_f`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := Escape("Plain - text (1)."); got != "Plain - text (1)." {
		t.Errorf("changed plain text: %s", got)
	}
}

func TestURL(t *testing.T) {
	for in, want := range map[string]string{
		"https://a.example/x_(y)?q=1#f": "https://a.example/x_%28y%29?q=1#f",
		"https://a.example/a b\"<c>":    "https://a.example/a%20b%22%3Cc%3E",
		"https://bücher.example/straße": "https://bücher.example/straße",
		"https://a.example/\u202Ex":     "https://a.example/%E2%80%AEx",
		"https://a.example/%28":         "https://a.example/%28",
	} {
		if got := URL(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	if got, want := Line("a\n- forged row\u00a0 b", 100), "a - forged row b"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Line("äöü äöü", 4), "äöü…"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
