package scriptmodel

import "sync"

// holds are the gates of HOLD by name. A gate that was opened stays open, so that
// it does not matter whether Release comes before or after the request.
type holds struct {
	mu    sync.Mutex
	gates map[string]chan struct{}
	open  map[string]bool
}

func (h *holds) gate(name string) chan struct{} {
	if h.gates == nil {
		h.gates, h.open = map[string]chan struct{}{}, map[string]bool{}
	}
	if h.gates[name] == nil {
		h.gates[name] = make(chan struct{})
	}
	return h.gates[name]
}

func (h *holds) wait(name string) <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.gate(name)
}

func (h *holds) release(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if g := h.gate(name); !h.open[name] {
		h.open[name] = true
		close(g)
	}
}

// Release lets every request that stands at HOLD name, or will, go on.
func (m *Model) Release(name string) { m.holds.release(name) }
