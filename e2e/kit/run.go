package kit

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"strata.dev/bridge/proto/chat"
)

// Run is a run that is followed: its frames as they come. It checks by itself
// that they are of one run and that seq rises by one; a break ends it with an error.
type Run struct {
	leave context.CancelFunc
	done  chan struct{} // closed once no more frames come

	mu      sync.Mutex
	frames  []chat.Frame
	err     error // why it ended, nil after the run's last frame
	changed chan struct{}
}

// ErrBrokenOff says that the stream ended before the run did.
var ErrBrokenOff = errors.New("the stream ended before its run")

func newRun(body io.ReadCloser, leave context.CancelFunc, after int64) *Run {
	r := &Run{leave: leave, done: make(chan struct{}), changed: make(chan struct{})}
	go func() {
		defer close(r.done)
		defer body.Close()
		err := r.read(bufio.NewReader(body), after)
		r.update(func() { r.err = err })
	}()
	return r
}

func (r *Run) read(lines *bufio.Reader, after int64) error {
	var last chat.Frame
	for {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			f, bad := decodeFrame(line)
			if bad == nil {
				bad = follows(last, f, after)
			}
			if bad != nil {
				return bad
			}
			last = f
			r.update(func() { r.frames = append(r.frames, f) })
		}
		switch {
		case err == nil:
		case !errors.Is(err, io.EOF):
			return fmt.Errorf("%w: %w", ErrBrokenOff, err)
		case last.Type.Ends() || last.Type == chat.Reset && last.Run == "":
			return nil
		default:
			return ErrBrokenOff
		}
	}
}

// decodeFrame takes no field that it does not know: the contract is proto/chat.
func decodeFrame(line []byte) (chat.Frame, error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	var f chat.Frame
	if err := dec.Decode(&f); err != nil {
		return f, fmt.Errorf("decoding a frame: %w in %s", err, line)
	}
	return f, nil
}

// follows checks that f may come after last, "" of type for the first one.
func follows(last, f chat.Frame, after int64) error {
	switch {
	case last.Type.Ends():
		return fmt.Errorf("a %s frame after the run's last one", f.Type)
	case last.Type == "" && f.Type == chat.Reset:
		return nil // it says itself from where on
	case last.Type == "" && f.Seq != after+1:
		return fmt.Errorf("the first frame has seq %d, want %d", f.Seq, after+1)
	case last.Type != "" && (f.Run != last.Run || f.Seq != last.Seq+1):
		return fmt.Errorf("frame %s/%d after %s/%d", f.Run, f.Seq, last.Run, last.Seq)
	}
	return nil
}

func (r *Run) update(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
	close(r.changed)
	r.changed = make(chan struct{})
}

// Frames are the frames so far.
func (r *Run) Frames() []chat.Frame {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.frames)
}

// Wait waits for the first frame that pred holds of, now or later. It fails where
// the stream ends without one; the error lists the frames that came.
func (r *Run) Wait(ctx context.Context, pred func(chat.Frame) bool) (chat.Frame, error) {
	for seen, ended := 0, false; ; {
		r.mu.Lock()
		frames, changed, err := r.frames, r.changed, r.err
		r.mu.Unlock()
		for ; seen < len(frames); seen++ {
			if pred(frames[seen]) {
				return frames[seen], nil
			}
		}
		if ended {
			return chat.Frame{}, fmt.Errorf("the frame did not come (%v); these came:%s", err, show(frames))
		}
		select {
		case <-changed:
		case <-r.done: // look through the rest once more
			ended = true
		case <-ctx.Done():
			return chat.Frame{}, fmt.Errorf("waiting for a frame: %w; these came:%s", ctx.Err(), show(frames))
		}
	}
}

// Card waits for a card of a tool in a state.
func (r *Run) Card(ctx context.Context, tool string, state chat.ToolState) (chat.Tool, error) {
	f, err := r.Wait(ctx, func(f chat.Frame) bool {
		return f.Type == chat.AgentTool && f.Tool.Name == tool && f.Tool.State == state
	})
	if err != nil {
		return chat.Tool{}, fmt.Errorf("a card of %s that is %s: %w", tool, state, err)
	}
	return *f.Tool, nil
}

// End waits for the run's last frame and gives all frames. A stream that ends
// without one is an error.
func (r *Run) End(ctx context.Context) ([]chat.Frame, error) {
	select {
	case <-r.done:
	case <-ctx.Done():
		return r.Frames(), fmt.Errorf("waiting for the run's end: %w; these frames came:%s", ctx.Err(), show(r.Frames()))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.frames, fmt.Errorf("%w; these frames came:%s", r.err, show(r.frames))
	}
	return r.frames, nil
}

// Leave closes the stream as a tab that is closed does. The run goes on.
func (r *Run) Leave() {
	r.leave()
	<-r.done
}

func show(frames []chat.Frame) string {
	if len(frames) == 0 {
		return " none"
	}
	var out strings.Builder
	for _, f := range Merge(frames) {
		line, _ := json.Marshal(f) // a frame that was decoded can be encoded
		out.WriteString("\n  " + string(line))
	}
	return out.String()
}
