package models

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A folded text stands at three depths. What is equal at one of the first two is told
// apart by nobody but a machine; the second is looked at only where no other fits.
type folded [3]string

const (
	plain  = iota // letter case, width, marks and invisible characters folded, spaces made one
	joined        // and without separators, but for a space between two numbers: 4.1 is not 41
	bare          // and without any symbol or space: for guesses, as R+ is not R
)

func fold(s string) folded {
	var f [3]strings.Builder
	var last rune // in joined
	space, parted := false, false
	for _, r := range letters(s) {
		if unicode.IsSpace(r) {
			space, parted = f[plain].Len() > 0, true
			continue
		}
		if space {
			f[plain].WriteByte(' ')
			space = false
		}
		f[plain].WriteRune(r)
		word := unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
		if !word && !symbol(r) {
			parted = true
			continue
		}
		if parted && unicode.IsNumber(last) && unicode.IsNumber(r) {
			f[joined].WriteByte(' ')
		}
		f[joined].WriteRune(r)
		last, parted = r, false
		if word {
			f[bare].WriteRune(r)
		}
	}
	return folded{f[plain].String(), f[joined].String(), f[bare].String()}
}

// symbol tells whether a character that is no letter tells two names apart. Quotes and
// dashes do not, although Unicode has these among the symbols.
func symbol(r rune) bool {
	return strings.ContainsRune("#*&@%", r) || unicode.IsSymbol(r) && !strings.ContainsRune("`´−", r)
}

// beside gives the folded text of f, a space, and g.
func (f folded) beside(g folded) folded {
	between := ""
	last, _ := utf8.DecodeLastRuneInString(f[joined])
	if first, _ := utf8.DecodeRuneInString(g[joined]); unicode.IsNumber(last) && unicode.IsNumber(first) {
		between = " "
	}
	return folded{f[plain] + " " + g[plain], f[joined] + between + g[joined], f[bare] + g[bare]}
}

// letters spells a text as Unicode's compatibility folding (NFKC_Casefold) would for
// the scripts that model names are written in, and drops the marks of Latin letters.
func letters(s string) []rune {
	out := make([]rune, 0, len(s))
	for _, r := range s {
		for _, r := range spell(r) {
			if n := len(out); n > 0 {
				if c := compose(out[n-1], r); c != 0 {
					out[n-1] = c
					continue
				}
			}
			out = append(out, r)
		}
	}
	return out
}

// spell gives the letters that one character stands for; none for what is not seen.
func spell(r rune) []rune {
	switch {
	case r < 0x80:
		return []rune{unicode.ToLower(r)}
	case unicode.Is(unicode.Cf, r), 0x300 <= r && r < 0x370, 0xfe00 <= r && r < 0xfe10, r == 0x115f, r == 0x1160, r == 0x3164:
		return nil
	case 0xff01 <= r && r <= 0xff5e: // full width
		return []rune{unicode.ToLower(r - 0xff01 + '!')}
	case 0xff66 <= r && r <= 0xff9f: // half width
		return []rune{halfwidth[r-0xff66]}
	case 0x1d400 <= r && r < 0x1d6a4: // mathematical letters: 13 alphabets
		return []rune{'a' + (r-0x1d400)%26}
	case 0x1d7ce <= r && r <= 0x1d7ff: // mathematical digits: five sets
		return []rune{'0' + (r-0x1d7ce)%10}
	case 0x2460 <= r && r <= 0x2468: // circled
		return []rune{'1' + r - 0x2460}
	case 0x24b6 <= r && r <= 0x24e9:
		return []rune{'a' + (r-0x24b6)%26}
	case r == 0x2070 || 0x2074 <= r && r <= 0x2079: // superscripts
		return []rune{'0' + r - 0x2070}
	case 0x2080 <= r && r <= 0x2089: // subscripts
		return []rune{'0' + r - 0x2080}
	case 0xfb00 <= r && r < 0xfb05:
		return []rune([]string{"ff", "fi", "fl", "ffi", "ffl"}[r-0xfb00])
	}
	r = unicode.ToLower(r)
	switch {
	case 0xc0 <= r && r < 0x180:
		if base := latin[r-0xc0]; base != '.' {
			return []rune{rune(base)}
		}
	case 0x1ea0 <= r && r < 0x1efa: // Vietnamese
		for _, of := range vietnamese {
			if r < of.end {
				return []rune{of.base}
			}
		}
	}
	if as, ok := single[r]; ok {
		return []rune(as)
	}
	return []rune{r}
}

// latin has the letter of each character from U+00C0 to U+017F; a point is none.
const latin = "aaaaaa.ceeeeiiii.nooooo.ouuuuy..aaaaaa.ceeeeiiii.nooooo.ouuuuy.y" +
	"aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii..jjkk.lllllllllln" +
	"nnnnnn..oooooo..rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs"

// vietnamese has the letters of U+1EA0 to U+1EF9, each up to an end.
var vietnamese = []struct{ end, base rune }{{0x1eb8, 'a'}, {0x1ec8, 'e'}, {0x1ecc, 'i'}, {0x1ee4, 'o'}, {0x1ef2, 'u'}, {0x1efa, 'y'}}

var single = map[rune]string{
	'²': "2", '³': "3", '¹': "1", 'ª': "a", 'º': "o", 'µ': "μ", 'ς': "σ",
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ĳ': "ij", '¼': "1⁄4", '½': "1⁄2", '¾': "3⁄4", 'ⁱ': "i", 'ⁿ': "n", '⓪': "0",
	'ơ': "o", 'ư': "u", 'ǎ': "a", 'ǐ': "i", 'ǒ': "o", 'ǔ': "u", 'ǖ': "u", 'ǘ': "u", 'ǚ': "u", 'ǜ': "u", 'ș': "s", 'ț': "t",
}

// halfwidth has the characters that U+FF66 to U+FF9F are narrow forms of. The two
// marks at the end join what is before them (compose).
var halfwidth = []rune("ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u3099\u309a")

// compose gives the one character that two stand for; 0 if there is none. File
// systems part Japanese and Korean syllables, and people copy names from them.
func compose(a, b rune) rune {
	switch {
	case b == 0x3099 && strings.ContainsRune(voiced, a), b == 0x3099 && strings.ContainsRune(voiced, a+0x60):
		return a + 1
	case b == 0x309a && strings.ContainsRune("ハヒフヘホ", a), b == 0x309a && strings.ContainsRune("ハヒフヘホ", a+0x60):
		return a + 2
	case b == 0x3099 && a == 'ウ':
		return 'ヴ'
	case 0x1100 <= a && a <= 0x1112 && 0x1161 <= b && b <= 0x1175:
		return 0xac00 + ((a-0x1100)*21+b-0x1161)*28
	case 0xac00 <= a && a <= 0xd7a3 && (a-0xac00)%28 == 0 && 0x11a8 <= b && b <= 0x11c2:
		return a + b - 0x11a7
	}
	return 0
}

const voiced = "カキクケコサシスセソタチツテトハヒフヘホ"
