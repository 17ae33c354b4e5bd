package journal

import "strings"

// mark stands where a secret was.
const mark = "[redacted]"

// Redact takes out what looks like a secret: private keys, tokens by their known
// beginnings or their looks, and what follows a word that says so. It rather
// takes out too much: a log of decisions needs no value whole.
func Redact(s string) string {
	if at := strings.Index(s, "-----BEGIN "); at >= 0 {
		s = s[:at] + mark
	}
	var out strings.Builder
	for rest := s; rest != ""; {
		gap := strings.IndexFunc(rest, inToken)
		if gap < 0 {
			out.WriteString(rest)
			break
		}
		out.WriteString(rest[:gap])
		rest = rest[gap:]
		end := strings.IndexFunc(rest, func(r rune) bool { return !inToken(r) })
		if end < 0 {
			end = len(rest)
		}
		word := rest[:end]
		rest = rest[end:]
		if looksSecret(word) {
			out.WriteString(mark)
			continue
		}
		out.WriteString(word)
		if n := valueAfter(word, rest); n > 0 {
			gap := len(rest) - len(strings.TrimLeft(rest, " =:\"'"))
			out.WriteString(rest[:gap] + mark)
			rest = rest[n:]
		} else if n := password(rest); n > 0 {
			out.WriteString("://" + rest[3:n] + ":" + mark)
			rest = rest[n+1+strings.IndexByte(rest[n+1:], '@'):]
		}
	}
	return out.String()
}

func inToken(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '+'
}

// prefixes begin keys and tokens, as their issuers write them.
var prefixes = []string{
	"sk-", "rk-", "sk_", "rk_", "pk_live", "whsec_", "AKIA", "ASIA", "ABIA", "ACCA", "ghp_", "gho_", "ghr_", "ghs_", "ghu_", "github_pat_", "glpat-",
	"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xapp-", "AIza", "ya29", "GOCSPX-", "hf_", "npm_", "pypi-", "gsk_", "xai-", "pplx-", "r8_", "tvly-", "dop_v1_",
	"shpat_", "dapi", "hvs", "glsa_", "dckr_pat_", "lin_api_", "ntn_", "sbp_", "PMAK-", "NRAK-", "eyJ", "AGE-SECRET-KEY",
}

// looksSecret tells whether a run of letters and digits is one that somebody
// generated: it begins like a known kind, or is long and mixed.
func looksSecret(word string) bool {
	for _, p := range prefixes {
		if len(word) >= 16 && strings.HasPrefix(word, p) {
			return true
		}
	}
	if len(word) >= 32 && digits(word) >= 6 {
		return true
	}
	for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '-' || r == '_' }) {
		if n := digits(part); len(part) >= 16 && n >= 2 && n < len(part) {
			return true
		}
	}
	return false
}

func digits(s string) (n int) {
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			n++
		}
	}
	return n
}

// tellers are parts of names whose value is a secret.
var tellers = []string{"passw", "pwd", "passphrase", "secret", "token", "apikey", "api_key", "api-key", "accesskey", "access_key", "access-key", "private_key", "credential", "authorization"}

// valueAfter tells how much of rest is the value that a word announces: behind an
// equals sign or a colon, or the next word of an option or a scheme. 0 is none.
func valueAfter(word, rest string) int {
	word = strings.ToLower(word)
	scheme := word == "bearer" || word == "basic"
	told := scheme
	for _, t := range tellers {
		told = told || strings.Contains(word, t)
	}
	glue := strings.TrimLeft(rest, "\"'")
	glued := strings.HasPrefix(glue, "=") || strings.HasPrefix(glue, ":")
	if !told || !glued && !scheme && !strings.HasPrefix(word, "-") {
		return 0
	}
	value := strings.TrimLeft(rest, " =:\"'")
	if lower := strings.ToLower(value); strings.HasPrefix(lower, "bearer ") || strings.HasPrefix(lower, "basic ") {
		return 0 // said by that word
	}
	end := strings.IndexAny(value, " \t\r\n\"'&;,|<>)}")
	if end < 0 {
		end = len(value)
	}
	if end < 4 || value[0] == '$' {
		return 0
	}
	return len(rest) - len(value) + end
}

// password tells where the colon before the password of an address stands in
// rest, which begins behind the address's scheme; 0 is none.
func password(rest string) int {
	after, ok := strings.CutPrefix(rest, "://")
	if !ok {
		return 0
	}
	if end := strings.IndexAny(after, "/ \t\r\n\"'"); end >= 0 {
		after = after[:end]
	}
	colon, at := strings.IndexByte(after, ':'), strings.LastIndexByte(after, '@')
	if colon < 0 || at < colon {
		return 0
	}
	return len("://") + colon
}
