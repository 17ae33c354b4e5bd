package probe

import (
	"errors"
	"os"
	"sync"
	"time"

	"strata.dev/bridge/plugins/sdk"
)

func fail(_ *sdk.Task, in struct{ Code, Message string }) (none, error) {
	if in.Code == "" {
		return none{}, errors.New(in.Message)
	}
	return none{}, sdk.Errorf(in.Code, "%s", in.Message)
}

func boom(*sdk.Task, none) (none, error) { panic("boom on purpose") }

func panicChild(t *sdk.Task, _ none) (none, error) {
	g := t.Group()
	g.Go(func() error {
		if err := sdk.Sleep(t, time.Millisecond); err != nil {
			return err
		}
		panic("boom in a child")
	})
	_ = g.Wait() // ignored on purpose: the call fails all the same
	return none{}, nil
}

func nilMap(*sdk.Task, none) (none, error) {
	var m map[string]int
	m["a"] = 1 //lint:ignore SA5000 on purpose
	return none{}, nil
}

func index(_ *sdk.Task, in size) (size, error) {
	list := []int{}
	return size{list[in.N]}, nil
}

// trap ends the module with a fault that no recover catches.
func trap(*sdk.Task, none) (none, error) {
	new(sync.Mutex).Unlock()
	return none{}, nil
}

func deadlock(*sdk.Task, none) (none, error) {
	//sdklint:allow a deadlock is what this op shows
	<-make(chan struct{})
	return none{}, nil
}

func exit(*sdk.Task, none) (none, error) {
	os.Exit(3)
	return none{}, nil
}

func recurse(*sdk.Task, none) (size, error) { return size{deeper(1)}, nil }

//lint:ignore SA5007 on purpose
func deeper(n int) int { return deeper(n+1) + 1 }

// kept holds what grow allocates.
var kept [][]byte

func grow(_ *sdk.Task, in struct{ MiB int }) (map[string]int, error) {
	for range in.MiB {
		block := make([]byte, 1<<20)
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1
		}
		kept = append(kept, block)
	}
	kept = nil
	return map[string]int{"mib": in.MiB}, nil
}

func spin(*sdk.Task, none) (none, error) {
	//lint:ignore SA5002 on purpose
	for {
	}
}

func twoDone(t *sdk.Task, _ none) (none, error) {
	t.Host().Done(t.ID(), []byte(`{"first":true}`), nil)
	return none{}, nil
}

func foreign(t *sdk.Task, _ none) (none, error) {
	t.Host().Done(t.ID()+1_000_000, []byte("{}"), nil)
	return none{}, nil
}

func syncEffect(t *sdk.Task, _ none) (none, error) {
	_ = sdk.Sleep(t, time.Millisecond) // ignored on purpose: the call fails all the same
	return none{}, nil
}

func rawSyncEffect(t *sdk.Task, _ none) (none, error) {
	t.Host().Effect(t.ID(), 1, "sleep", []byte(`{"ms":1}`), nil)
	return none{}, nil
}
