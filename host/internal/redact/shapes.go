package redact

import (
	"regexp"
	"strings"
)

// shape is what a kind of secret looks like. Group 1, where there is one, is the
// secret; else the whole match is.
type shape struct {
	re *regexp.Regexp
	// hints are lower-case substrings, one of which a text has that re matches:
	// looking for them first keeps ordinary text cheap.
	hints []string
	// secret tells whether what was found is one; nil is always.
	secret func(found string) bool
}

// replace takes the secrets of this shape out of text.
func (s shape) replace(text string) string {
	at := s.re.FindAllStringSubmatchIndex(text, -1)
	var b strings.Builder
	last := 0
	for _, m := range at {
		from, to := m[0], m[1]
		if len(m) > 2 && m[2] >= 0 {
			from, to = m[2], m[3]
		}
		found := text[from:to]
		if strings.HasPrefix(found, Mark) || s.secret != nil && !s.secret(found) {
			continue
		}
		b.WriteString(text[last:from])
		b.WriteString(Mark)
		last = to
	}
	if last == 0 {
		return text
	}
	b.WriteString(text[last:])
	return b.String()
}

func (s shape) hinted(lower string) bool {
	for _, h := range s.hints {
		if strings.Contains(lower, h) {
			return true
		}
	}
	return false
}

// shapes are the known forms. The prefixes and lengths are the issuers' own
// (their documentation of key formats and the secret scanners' public rules).
var shapes = []shape{
	// Private keys: to the end marker, or to the end of a text that was cut.
	{re: regexp.MustCompile(`(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)`),
		hints: []string{"-----begin "}},
	{re: regexp.MustCompile(`\bAGE-SECRET-KEY-1[0-9A-Z]{20,}`), hints: []string{"age-secret-key-1"}},

	// Prefixed keys and tokens.
	{re: regexp.MustCompile(`\b[sr]k-[A-Za-z0-9_-]{16,}`), hints: []string{"sk-", "rk-"}, secret: opaque},
	{re: regexp.MustCompile(`\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}`), hints: []string{"_live_", "_test_"}, secret: mixed},
	{re: regexp.MustCompile(`\bwhsec_[A-Za-z0-9+/=]{20,}`), hints: []string{"whsec_"}},
	{re: regexp.MustCompile(`\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b`), hints: []string{"akia", "asia", "abia", "acca"}},
	{re: regexp.MustCompile(`\bgh[oprsu]_[A-Za-z0-9]{30,}`), hints: []string{"gho_", "ghp_", "ghr_", "ghs_", "ghu_"}},
	{re: regexp.MustCompile(`\bgithub_pat_[A-Za-z0-9_]{22,}`), hints: []string{"github_pat_"}},
	{re: regexp.MustCompile(`\bgl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|oas)-[A-Za-z0-9_.-]{20,}`), hints: []string{"gl"}, secret: mixed},
	{re: regexp.MustCompile(`\bxox[a-z]-[A-Za-z0-9-]{10,}`), hints: []string{"xox"}},
	{re: regexp.MustCompile(`\bxapp-\d-[A-Za-z0-9-]{10,}`), hints: []string{"xapp-"}},
	{re: regexp.MustCompile(`hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9/_-]{20,})`), hints: []string{"hooks.slack.com"}},
	{re: regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{35}`), hints: []string{"aiza"}},
	{re: regexp.MustCompile(`\bya29\.[0-9A-Za-z_-]{20,}`), hints: []string{"ya29."}},
	{re: regexp.MustCompile(`\bGOCSPX-[0-9A-Za-z_-]{20,}`), hints: []string{"gocspx-"}},
	{re: regexp.MustCompile(`\bhf_[A-Za-z0-9]{30,}`), hints: []string{"hf_"}, secret: token},
	{re: regexp.MustCompile(`\bnpm_[A-Za-z0-9]{36}`), hints: []string{"npm_"}, secret: token},
	{re: regexp.MustCompile(`\bpypi-[A-Za-z0-9_-]{40,}`), hints: []string{"pypi-"}, secret: token},
	{re: regexp.MustCompile(`\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`), hints: []string{"sg."}},
	{re: regexp.MustCompile(`\bgsk_[A-Za-z0-9]{30,}`), hints: []string{"gsk_"}, secret: token},
	{re: regexp.MustCompile(`\bxai-[A-Za-z0-9]{30,}`), hints: []string{"xai-"}, secret: token},
	{re: regexp.MustCompile(`\bpplx-[A-Za-z0-9]{30,}`), hints: []string{"pplx-"}, secret: token},
	{re: regexp.MustCompile(`\br8_[A-Za-z0-9]{30,}`), hints: []string{"r8_"}, secret: token},
	{re: regexp.MustCompile(`\btvly-[A-Za-z0-9-]{20,}`), hints: []string{"tvly-"}, secret: mixed},
	{re: regexp.MustCompile(`\bdo[opr]_v1_[a-f0-9]{64}`), hints: []string{"_v1_"}},
	{re: regexp.MustCompile(`\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`), hints: []string{"shp"}},
	{re: regexp.MustCompile(`\bdapi[0-9a-f]{32}`), hints: []string{"dapi"}},
	{re: regexp.MustCompile(`\bhv[sbr]\.[A-Za-z0-9_-]{24,}`), hints: []string{"hvs.", "hvb.", "hvr."}},
	{re: regexp.MustCompile(`\bglsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}`), hints: []string{"glsa_"}},
	{re: regexp.MustCompile(`\bdckr_pat_[A-Za-z0-9_-]{20,}`), hints: []string{"dckr_pat_"}},
	{re: regexp.MustCompile(`\blin_api_[A-Za-z0-9]{30,}`), hints: []string{"lin_api_"}},
	{re: regexp.MustCompile(`\bntn_[A-Za-z0-9]{40,}`), hints: []string{"ntn_"}},
	{re: regexp.MustCompile(`\bsbp_[a-f0-9]{40}`), hints: []string{"sbp_"}},
	{re: regexp.MustCompile(`\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}`), hints: []string{"pmak-"}},
	{re: regexp.MustCompile(`\bNRAK-[A-Z0-9]{27}`), hints: []string{"nrak-"}},
	{re: regexp.MustCompile(`\b\d{8,10}:AA[A-Za-z0-9_-]{33}`), hints: []string{":aa"}},
	{re: regexp.MustCompile(`\b[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}`), hints: []string{"."}, secret: token},
	{re: regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`), hints: []string{"eyj"}},

	// Secrets known by what stands before them.
	{re: regexp.MustCompile(`(?i)\bBearer\s+([A-Za-z0-9._~+/=-]{12,})`), hints: []string{"bearer"}, secret: bearer},
	{re: regexp.MustCompile(`(?i)\bauthorization["']?\s*[:=]\s*["']?(?:basic|token|digest|negotiate)\s+([A-Za-z0-9._~+/=-]{8,})`), hints: []string{"authorization"}},
	{re: regexp.MustCompile(`(?i)\b(?:set-)?cookie:\s*([^\r\n]*=[^\r\n]{8,})`), hints: []string{"cookie:"}, secret: cookie},
	{re: regexp.MustCompile(`\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'<>]*:([^\s/:@"'<>]{3,})@`), hints: []string{"://"}, secret: literal},
	{re: regexp.MustCompile(`(?i)(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})`), hints: []string{"accountkey", "sharedaccesskey"}},
	{re: regexp.MustCompile(`(?i)` + named + `["']?\s*(?::=|=>|[:=])\s*["']?([^\s"'&,;<>(){}\[\]$` + "`" + `]{8,})`),
		hints: []string{"key", "secret", "token"}, secret: token},
	{re: regexp.MustCompile(`(?i)(?:passw(?:or)?d|pwd|passphrase)["']?\s*(?::=|=>|[:=])\s*["']?([^\s"'&,;<>(){}\[\]$` + "`" + `]{8,})`),
		hints: []string{"passw", "pwd", "passphrase"}, secret: password},
}

// named are names of variables, headers and parameters that hold a secret.
const named = `(?:api[_-]?key|access[_-]?key|secret[_-]?key|secret[_-]?access[_-]?key|private[_-]?key|client[_-]?secret|launch[_-]?secret|` +
	`(?:access|auth|refresh|session|id|bearer|launch|route|csrf)?[_-]?token|secret|route[_-]?key)`

// mixed wants a digit and a letter: what is left out is a word, not a key.
func mixed(s string) bool {
	var digit, letter bool
	for _, c := range s {
		digit = digit || '0' <= c && c <= '9'
		letter = letter || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	return digit && letter
}

// token wants what a generated value looks like: mixed, at least 12 characters,
// and no member access or path as code has it.
func token(s string) bool {
	if len(s) < 12 || !mixed(s) {
		return false
	}
	digits := 0
	for _, c := range s {
		if '0' <= c && c <= '9' {
			digits++
		}
	}
	return digits >= 2 && !identifierPath(s)
}

// opaque wants a run of 12 letters and digits that is mixed: words joined by
// dashes, as class names are, have none.
func opaque(s string) bool {
	for _, part := range strings.FieldsFunc(s, func(c rune) bool { return c == '-' || c == '_' }) {
		if len(part) >= 12 && mixed(part) {
			return true
		}
	}
	return false
}

// bearer takes what is mixed, or too long for a word of prose.
func bearer(s string) bool { return mixed(s) || len(s) >= 32 }

// cookie wants one value among the pairs that looks generated.
func cookie(s string) bool {
	for _, pair := range strings.Split(s, ";") {
		if _, v, _ := strings.Cut(pair, "="); token(v) {
			return true
		}
	}
	return false
}

// password wants a digit and a letter; a person's own is shorter than a token.
func password(s string) bool { return mixed(s) && !identifierPath(s) }

var path = regexp.MustCompile(`^(?:\.{0,2}/)?[A-Za-z_]+\d{0,2}(?:[./][A-Za-z_]+\d{0,2})+$`)

func identifierPath(s string) bool { return path.MatchString(s) }

// literal leaves out a template's place: user:${PASSWORD}@host.
func literal(s string) bool { return !strings.ContainsAny(s, "${}<>%*") }
