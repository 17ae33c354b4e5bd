package harness

import (
	"context"
	"errors"
	"os"
	"time"
)

const (
	// grace is what a Harness gets after SIGTERM. Its own limit is 5 s, after which
	// it ends with status 0 and leaves its tools; a kill before that says that they
	// must be looked for. 3.1 s were seen with a tool that ignores SIGTERM.
	grace      = 4500 * time.Millisecond
	killWithin = 5 * time.Second // for the kernel to take a killed process away
	lookEvery  = 20 * time.Millisecond
)

// errStillThere says that processes outlived SIGKILL.
var errStillThere = errors.New("processes cannot be ended")

// step is what a process is sent once it has outlived the steps before it.
type step struct {
	after   time.Duration // since the beginning
	signals []os.Signal
}

var (
	// forTools ends what has no Harness any more.
	forTools = []step{{0, []os.Signal{sigTerm, sigCont}}, {time.Second, []os.Signal{os.Kill}}}
	// forHarness ends one whose host is dead. The kernel has already sent SIGTERM
	// (tie), so a stopped one only has to go on; a second SIGTERM would make it
	// drop its own clean-up, so it comes late.
	forHarness = []step{
		{0, []os.Signal{sigCont}},
		{grace, []os.Signal{sigTerm, sigCont}},
		{grace + 2*time.Second, []os.Signal{os.Kill}},
	}
)

// endMarked ends the processes of a launch, or only the one with the number pid
// if that is not 0. It looks again until none is found, as a process may start
// others meanwhile, and tells how many there were.
func endMarked(marker string, since uint64, pid int, steps []step) (int, error) {
	begin := time.Now()
	taken := map[int]int{} // by process number: how many steps were taken
	for {
		left, err := marked(marker, since)
		if err != nil {
			return len(taken), err
		}
		elapsed, found := time.Since(begin), 0
		var failed []error
		for _, f := range left {
			if pid == 0 || f.pid == pid {
				found++
				n := taken[f.pid]
				for ; n < len(steps) && steps[n].after <= elapsed; n++ {
					for _, sig := range steps[n].signals {
						failed = append(failed, f.signal(sig))
					}
				}
				taken[f.pid] = n
			}
			f.release()
		}
		if found == 0 {
			return len(taken), nil
		}
		if elapsed > steps[len(steps)-1].after+killWithin {
			return len(taken), errors.Join(append(failed, errStillThere)...)
		}
		time.Sleep(lookEvery)
	}
}

// awaitDone waits for done for at most d, or until the context ends.
func awaitDone(ctx context.Context, done <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	case <-ctx.Done():
		return false
	}
}
