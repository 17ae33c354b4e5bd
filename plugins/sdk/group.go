package sdk

// Group runs functions of one call side by side, so that several effects are
// open at once.
type Group struct {
	t    *Task
	errs []error
	open int
	wait chan struct{} // of the Wait that is parked
}

// Group starts an empty group of this call.
func (t *Task) Group() *Group { return &Group{t: t} }

// Go runs f in a goroutine of the call. A panic in f fails the call, whatever
// the handler makes of Wait's error.
func (g *Group) Go(f func() error) {
	g.t.rt.mu.Lock()
	i := len(g.errs)
	g.errs = append(g.errs, ErrCancelled) // stands if f never returns
	g.open++
	g.t.running++
	g.t.rt.mu.Unlock()
	go func() {
		defer g.leave()
		panicked := true
		err := g.t.rt.guard(func() error {
			err := f()
			panicked = false
			return err
		})
		g.t.rt.mu.Lock()
		defer g.t.rt.mu.Unlock()
		g.errs[i] = err
		if panicked && g.t.fault == nil {
			g.t.fault = err
		}
	}()
}

func (g *Group) leave() {
	g.t.rt.mu.Lock()
	defer g.t.rt.mu.Unlock()
	g.open--
	if g.open == 0 && g.wait != nil {
		close(g.wait)
		g.wait = nil
		g.t.running++ // for the waiter, who counted itself out
	}
	g.t.park()
}

// Wait returns when all functions have ended: the error of the first one, in
// the order of Go, that failed. It does not stop the others.
func (g *Group) Wait() error {
	g.t.rt.mu.Lock()
	if g.open > 0 {
		wait := make(chan struct{})
		g.wait = wait
		g.t.park()
		g.t.rt.mu.Unlock()
		<-wait
		g.t.rt.mu.Lock()
	}
	defer g.t.rt.mu.Unlock()
	for _, err := range g.errs {
		if err != nil {
			return err
		}
	}
	return nil
}
