package harness

import (
	"bytes"
	"io"
	"sync"
)

const (
	maxLine = 64 << 10 // bytes of one line; the rest of a longer one is dropped
	maxTail = 16 << 10 // bytes of output kept for an error's details
)

// output takes what the process writes, line by line: the tail is kept, every
// line goes to a log, and a line of standard output is looked at. Secrets are
// taken out of whole lines, so that none can hide across two writes.
type output struct {
	mu     sync.Mutex
	log    io.Writer
	redact func(string) string
	tail   []byte
}

// lines gives a writer that cuts into lines; see, which may be nil, gets each.
func (o *output) lines(see func(string)) *lineWriter { return &lineWriter{o: o, see: see} }

// Tail gives the end of what was written, beginning with a whole line.
func (o *output) Tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.tail)
}

func (o *output) add(line string) {
	line = o.redact(line) + "\n"
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tail = append(o.tail, line...)
	if cut := len(o.tail) - maxTail; cut > 0 {
		if i := bytes.IndexByte(o.tail[cut-1:], '\n'); i >= 0 {
			cut += i
		}
		o.tail = append([]byte(nil), o.tail[cut:]...)
	}
	// A log that cannot be written must not stop the Harness.
	_, _ = io.WriteString(o.log, line)
}

// lineWriter is one stream of an output. It never fails.
type lineWriter struct {
	o    *output
	see  func(string)
	line []byte
}

var _ io.Writer = (*lineWriter)(nil)

// Write takes p whole.
func (w *lineWriter) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		part, rest, whole := bytes.Cut(p, []byte("\n"))
		w.line = append(w.line, part[:min(len(part), maxLine-len(w.line))]...)
		if whole {
			w.flush()
		}
		p = rest
	}
	return n, nil
}

// Close hands over a last line without a newline.
func (w *lineWriter) Close() {
	if len(w.line) > 0 {
		w.flush()
	}
}

func (w *lineWriter) flush() {
	line := string(bytes.TrimSuffix(w.line, []byte("\r")))
	w.line = w.line[:0]
	w.o.add(line)
	if w.see != nil {
		w.see(line)
	}
}
