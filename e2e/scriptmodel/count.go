package scriptmodel

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"unicode"
	"unicode/utf8"
)

// pictureTokens is what a picture counts, whatever its size: about what servers say.
const pictureTokens = 1000

var picture = regexp.MustCompile(`"data:image/[^"]*"|"type":"base64","media_type":"[^"]*","data":"[^"]*"`)

// count is how many tokens a request's body has: its characters, of which each ideograph is
// a token by itself, and its pictures for themselves.
func (s Size) count(body []byte) int {
	pictures := len(picture.FindAllIndex(body, -1))
	text := body
	if pictures > 0 {
		text = picture.ReplaceAll(body, nil)
	}
	ideographs := 0
	for _, r := range string(text) {
		if unicode.Is(unicode.Han, r) {
			ideographs++
		}
	}
	return max(1, ideographs+int(float64(utf8.RuneCount(text)-ideographs)/s.CharsPerToken)) + pictures*pictureTokens
}

// countTokens is the route by which a server tells a prompt's size.
func (m *Model) countTokens(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var ask struct {
		Model    string            `json:"model"`
		Messages []json.RawMessage `json:"messages"`
	}
	bad := json.Unmarshal(body, &ask)
	size := m.size(ask.Model)
	switch {
	case !m.authorised(r):
		refuse(w, http.StatusUnauthorized, refusal(http.StatusUnauthorized, ""))
	case size.NoCount:
		refuse(w, http.StatusNotFound, refusal(http.StatusNotFound, "There is no such route."))
	case err != nil || bad != nil || len(ask.Messages) == 0:
		refuse(w, http.StatusBadRequest, refusal(http.StatusBadRequest, "the body is no request to count"))
	default:
		writeJSON(w, http.StatusOK, map[string]int{"input_tokens": size.count(body)})
	}
}
