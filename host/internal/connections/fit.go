package connections

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
)

// fitField asks the app's own engine to fit the output's limit into what the prompt
// leaves of the window.
const fitField = `{"fit_max_tokens":true,`

// fit adds the field to a request for an answer, without reading more of it than two
// bytes: it goes on as it comes.
func fit(out *http.Request) {
	if out.Body == nil || out.Method != http.MethodPost || !strings.HasSuffix(out.URL.Path, "/chat/completions") {
		return
	}
	in := bufio.NewReader(out.Body)
	body := struct {
		io.Reader
		io.Closer
	}{in, out.Body}
	out.Body = body
	if begin, err := in.Peek(2); err != nil || string(begin) != `{"` {
		return // no object as clients write it, and the server's to refuse
	}
	_, _ = in.Discard(1) // is buffered
	body.Reader = io.MultiReader(bytes.NewReader([]byte(fitField)), in)
	out.Body = body
	if out.ContentLength > 0 {
		out.ContentLength += int64(len(fitField)) - 1
	}
}
