package connections

import (
	"bytes"
	"io"

	"strata.dev/bridge/host/internal/redact"
)

// filter takes a key out of an answer as it streams. Bytes go on as they come, but for
// an end that may be the begin of the key, which no event of a stream has.
type filter struct {
	in   io.ReadCloser
	key  []byte
	held []byte // the end of what has come, which may be the begin of the key
	out  []byte // is to be read
	err  error  // of in, for when all is read
}

var _ io.ReadCloser = (*filter)(nil)

// shortest key that is taken out of an answer, in bytes. A server on this computer is
// often given "x" or "none" for one, and answers may hold that word.
const shortest = redact.MinValue

// Filter takes the key out of an answer as it streams.
func (k Key) Filter(in io.ReadCloser) io.ReadCloser {
	if len(k.reveal()) < shortest {
		return in
	}
	return newFilter(in, k)
}

func newFilter(in io.ReadCloser, key Key) *filter {
	return &filter{in: in, key: []byte(key.reveal())}
}

// Read implements io.Reader.
func (f *filter) Read(p []byte) (int, error) {
	for len(f.out) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		n, err := f.in.Read(p)
		data := bytes.ReplaceAll(append(f.held, p[:n]...), f.key, []byte(hidden))
		keep := 0
		if err == nil {
			keep = begins(data, f.key)
		}
		f.out, f.held, f.err = data[:len(data)-keep], bytes.Clone(data[len(data)-keep:]), err
	}
	n := copy(p, f.out)
	f.out = f.out[n:]
	return n, nil
}

// begins is how much of the end of data is the begin of key.
func begins(data, key []byte) int {
	for n := min(len(data), len(key)-1); n > 0; n-- {
		if bytes.HasSuffix(data, key[:n]) {
			return n
		}
	}
	return 0
}

// Close implements io.Closer.
func (f *filter) Close() error { return f.in.Close() }
