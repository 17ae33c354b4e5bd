package connections

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"strata.dev/bridge/host/internal/redact"
)

// filter takes a key out of an answer as it streams, in each of its forms. Bytes go on
// as they come, but for an end that may be the begin of the key, which no event of a
// stream has.
type filter struct {
	in    io.ReadCloser
	forms forms
	held  []byte // the end of what has come, which may be the begin of the key
	out   []byte // is to be read
	err   error  // of in, for when all is read
}

var _ io.ReadCloser = (*filter)(nil)

// Filter takes the key out of an answer as it streams: out of its bytes and, where it is
// a stream of events, out of texts that come in pieces. A key that is too short for a
// secret stays: a server on this computer is often given "x" or "none" for one, and
// answers may hold that word.
func (k Key) Filter(res *http.Response) {
	if redact.Forms(k.reveal()) == nil {
		return
	}
	res.Body = newFilter(res.Body, k)
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		res.Body = newPieces(res.Body, k)
	}
}

func newFilter(in io.ReadCloser, key Key) *filter { return &filter{in: in, forms: formsOf(key)} }

// Read implements io.Reader.
func (f *filter) Read(p []byte) (int, error) {
	for len(f.out) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		n, err := f.in.Read(p)
		data := f.forms.hide(append(f.held, p[:n]...))
		keep := 0
		if err == nil {
			keep = f.forms.begun(data, 1)
		}
		f.out, f.held, f.err = data[:len(data)-keep], bytes.Clone(data[len(data)-keep:]), err
	}
	n := copy(p, f.out)
	f.out = f.out[n:]
	return n, nil
}

// Close implements io.Closer.
func (f *filter) Close() error { return f.in.Close() }

// forms are those of a key.
type forms [][]byte

func formsOf(k Key) (out forms) {
	for _, form := range redact.Forms(k.reveal()) {
		out = append(out, []byte(form))
	}
	return out
}

// hide takes the key out of data.
func (f forms) hide(data []byte) []byte {
	for _, form := range f {
		data = bytes.ReplaceAll(data, form, []byte(hidden))
	}
	return data
}

// begun is how much of the end of data is the begin of a form, of least bytes or more.
func (f forms) begun(data []byte, least int) (most int) {
	for _, form := range f {
		for n := min(len(data), len(form)-1); n >= max(least, most+1); n-- {
			if bytes.HasSuffix(data, form[:n]) {
				most = n
				break
			}
		}
	}
	return most
}
