package engine

import (
	"io"
	"strings"

	"strata.dev/bridge/proto/abi"
)

// stderr keeps the first abi.MaxLogBytes of what a guest writes during one
// export: a Go trap dumps every goroutine.
type stderr struct{ text []byte }

var _ io.Writer = (*stderr)(nil)

func (s *stderr) Write(p []byte) (int, error) {
	if room := abi.MaxLogBytes - len(s.text); room > 0 {
		s.text = append(s.text, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

// take gives the text and forgets it.
func (s *stderr) take() string {
	text := strings.TrimSpace(strings.ToValidUTF8(string(s.text), "\uFFFD"))
	s.text = s.text[:0]
	return text
}

func (s *stderr) firstLine() string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(s.text)), "\n")
	return line
}
