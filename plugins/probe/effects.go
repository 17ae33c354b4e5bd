package probe

import (
	"encoding/json"
	"errors"
	"time"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
)

func sleep(t *sdk.Task, in abi.SleepRequest) (none, error) {
	return none{}, sdk.Sleep(t, time.Duration(in.Ms)*time.Millisecond)
}

func sleepAndSay(t *sdk.Task, in abi.SleepRequest) (none, error) {
	defer t.Logf(sdk.Info, "slept")
	return sleep(t, in)
}

func storeGet(t *sdk.Task, in abi.StoreKey, _ []byte) (none, []byte, error) {
	record, err := sdk.StoreGet(t, in.Name)
	return none{}, record, err
}

func storePut(t *sdk.Task, in abi.StoreKey, body []byte) (none, []byte, error) {
	return none{}, nil, sdk.StorePut(t, in.Name, body)
}

func storeAppend(t *sdk.Task, in abi.StoreKey, body []byte) (none, []byte, error) {
	return none{}, nil, sdk.StoreAppend(t, in.Name, body)
}

func storeList(t *sdk.Task, in abi.StoreKey) (abi.StoreNames, error) {
	names, err := sdk.StoreList(t, in.Name)
	return abi.StoreNames{Names: names}, err
}

func storeDelete(t *sdk.Task, in abi.StoreKey) (none, error) {
	return none{}, sdk.StoreDelete(t, in.Name)
}

func realpath(t *sdk.Task, in abi.PathsRequest) (abi.PathsAnswer, error) {
	real, err := sdk.Realpath(t, in.Paths)
	return abi.PathsAnswer{Real: real}, err
}

// refusal is a failed effect as an answer, so that a case can see it whole.
type refusal struct {
	Head    json.RawMessage `json:"head,omitempty"`
	Status  int             `json:"status,omitempty"`
	Code    string          `json:"code,omitempty"`
	Message string          `json:"message,omitempty"`
}

func refused(err error) refusal {
	coded := new(abi.EffectError)
	if errors.As(err, &coded) {
		return refusal{Code: coded.Code, Message: coded.Message}
	}
	return refusal{Code: sdk.Code(err), Message: err.Error()}
}

func raw(t *sdk.Task, in struct {
	Kind string          `json:"kind"`
	Head json.RawMessage `json:"head"`
}, body []byte) (refusal, []byte, error) {
	head, body, err := sdk.Effect(t, in.Kind, in.Head, body)
	if err != nil {
		return refused(err), nil, nil
	}
	return refusal{Head: head}, body, nil
}

func notGranted(t *sdk.Task, _ none) (refusal, error) {
	return refused(sdk.Sleep(t, time.Millisecond)), nil
}

func fan(t *sdk.Task, in struct{ URLs []string }) (map[string][]refusal, error) {
	answers := make([]refusal, len(in.URLs))
	g := t.Group()
	for i, url := range in.URLs {
		g.Go(func() error {
			answer, _, err := sdk.Fetch(t, abi.FetchRequest{URL: url}, nil)
			if err != nil {
				answers[i] = refused(err)
				return nil
			}
			answers[i] = refusal{Status: answer.Status}
			return nil
		})
	}
	err := g.Wait()
	return map[string][]refusal{"answers": answers}, err
}

func fanSleep(t *sdk.Task, in struct{ Ms []int }) (map[string][]string, error) {
	codes := make([]string, len(in.Ms))
	g := t.Group()
	for i, ms := range in.Ms {
		g.Go(func() error {
			if err := sdk.Sleep(t, time.Duration(ms)*time.Millisecond); err != nil {
				codes[i] = sdk.Code(err)
			}
			return nil
		})
	}
	err := g.Wait()
	return map[string][]string{"codes": codes}, err
}

func chain(t *sdk.Task, in size) (size, error) {
	for range in.N {
		if err := sdk.Sleep(t, time.Millisecond); err != nil {
			return size{}, err
		}
	}
	return in, nil
}

func many(t *sdk.Task, in size) (size, error) {
	g := t.Group()
	for range in.N {
		g.Go(func() error { return sdk.Sleep(t, time.Millisecond) })
	}
	return in, g.Wait()
}

func cancelDefer(t *sdk.Task, _ none) (none, error) {
	defer t.Logf(sdk.Info, "deferred")
	return none{}, sdk.Sleep(t, time.Hour)
}

func cancelDeaf(t *sdk.Task, _ none) (none, error) {
	defer t.Logf(sdk.Info, "ended")
	for {
		_ = sdk.Sleep(t, time.Hour) // deaf on purpose
	}
}

func lateChild(t *sdk.Task, in abi.SleepRequest) (map[string]bool, error) {
	t.Group().Go(func() error {
		if err := sdk.Sleep(t, time.Duration(in.Ms)*time.Millisecond); err != nil {
			t.Logf(sdk.Info, "child: %s", sdk.Code(err))
		}
		return nil
	})
	err := sdk.Sleep(t, time.Millisecond) // by now the child waits
	return map[string]bool{"ok": true}, err
}

func open(t *sdk.Task, _ none) (map[string]int, error) {
	return map[string]int{"calls": t.Calls()}, nil
}

func swallow(t *sdk.Task, in abi.SleepRequest) (map[string]string, error) {
	code := ""
	if err := sdk.Sleep(t, time.Duration(in.Ms)*time.Millisecond); err != nil {
		code = sdk.Code(err)
	}
	return map[string]string{"code": code}, nil
}
