package models

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// The table of ours says of every character in the blocks that it covers what the
// library says, which is left out of the module for its size (plugins/docs/models.md).
func TestSpellingIsUnicodes(t *testing.T) {
	blocks := [][2]rune{
		{0x20, 0x17f}, {0x1cd, 0x1dc}, {0x1a0, 0x1a1}, {0x1af, 0x1b0}, {0x218, 0x21b}, // Latin
		{0x300, 0x36f}, {0x1ea0, 0x1ef9}, {0x2070, 0x2089}, {0x2460, 0x2468}, {0x24b6, 0x24ea},
		{0xfb00, 0xfb04}, {0xff01, 0xff5e}, {0xff66, 0xff9f}, {0x1d400, 0x1d6a3}, {0x1d7ce, 0x1d7ff}, {0x3000, 0x3000},
	}
	for _, block := range blocks {
		for r := block[0]; r <= block[1]; r++ {
			if !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.Cf) { // others fall out in the end
				continue
			}
			want := strings.ToLower(letterWise(string(r)))
			if got := string(letters(string(r))); got != want {
				t.Errorf("%U %q is spelled %q, want %q", r, r, got, want)
			}
		}
	}
}

// letterWise is NFKC without the marks of what is no kana, and with the letters that
// Unicode keeps apart although nobody does.
func letterWise(s string) string {
	s = strings.NewReplacer("ß", "ss", "æ", "ae", "Æ", "ae", "œ", "oe", "Œ", "oe", "ø", "o", "Ø", "o", "ł", "l", "Ł", "l",
		"đ", "d", "Đ", "d", "ħ", "h", "Ħ", "h", "ŧ", "t", "Ŧ", "t", "ı", "i", "ŀ", "l", "Ŀ", "l", "ŉ", "n", "\u00ad", "").Replace(s)
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) && r < 0x3000 {
			return -1
		}
		return r
	}, norm.NFKD.String(s)))
}

// What a file system parts is put together again.
func TestPartedSyllables(t *testing.T) {
	for _, text := range []string{"がぎぐげござじずぜぞだぢづでどばびぶべぼぱぴぷぺぽ", "ガギグゲゴザジズゼゾダヂヅデドバビブベボパピプペポヴ", "한국어 모델 솔라"} {
		if got := string(letters(norm.NFD.String(text))); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"GPT-4o mini", "通义千问 Max", "ﾊﾞｲﾄﾞｩ", "솔라", "\x80\xff", "ǅ", "İ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := fold(s)
		if again := fold(once[plain]); again != once {
			t.Errorf("%q folds to %q and that to %q", s, once, again)
		}
	})
}
