package probe

import (
	"encoding/json"
	"strconv"
	"time"

	"strata.dev/bridge/plugins/sdk"
)

// Plugin is the probe.
var Plugin = sdk.Plugin{Name: "probe", Table: Table, New: func() sdk.Instance {
	p := &probe{}
	return sdk.Instance{Init: p.init, Ops: sdk.Ops{
		"echo":      p.echo,
		"echoAsync": p.echo,
		"config":    sdk.Op(p.showConfig),
		"count":     sdk.Op(p.count),
		"bigBody":   sdk.OpBody(bigBody),
		"sum":       sdk.OpBody(sum),
		"now":       sdk.Op(now),
		"random":    sdk.Op(random),
		"logs":      sdk.Op(logs),
		"table":     sdk.Op(nothing),

		"fail":         sdk.Op(fail),
		"failAsync":    later(fail),
		"typed":        sdk.Op(func(_ *sdk.Task, in size) (size, error) { return in, nil }),
		"panic":        sdk.Op(boom),
		"panicAsync":   later(boom),
		"panicChild":   sdk.Op(panicChild),
		"nilmap":       sdk.Op(nilMap),
		"index":        sdk.Op(index),
		"panicDefault": sdk.Op(boom),

		"trap":          sdk.Op(trap),
		"trapAsync":     later(trap),
		"trapDefault":   sdk.Op(trap),
		"deadlock":      sdk.Op(deadlock),
		"exit":          sdk.Op(exit),
		"recurse":       sdk.Op(recurse),
		"grow":          sdk.Op(grow),
		"spin":          sdk.Op(spin),
		"spinAsync":     sdk.Op(spin),
		"twodone":       sdk.Op(twoDone),
		"foreign":       sdk.Op(foreign),
		"syncEffect":    sdk.Op(syncEffect),
		"rawSyncEffect": sdk.Op(rawSyncEffect),

		"countApart":         sdk.Op(p.count),
		"trapApart":          sdk.Op(trap),
		"sleepApart":         sdk.Op(sleepAndSay),
		"sleepApartDeadline": sdk.Op(sleep),

		"ask":           sdk.Op(sdk.Ask),
		"sleep":         sdk.Op(sleep),
		"sleepDeadline": sdk.Op(sleep),
		"fetch":         sdk.OpBody(sdk.Fetch),
		"storeGet":      sdk.OpBody(storeGet),
		"storePut":      sdk.OpBody(storePut),
		"storeAppend":   sdk.OpBody(storeAppend),
		"storeList":     sdk.Op(storeList),
		"storeDelete":   sdk.Op(storeDelete),
		"sessionRead":   sdk.Op(sdk.SessionRead),
		"sessionCommit": sdk.Op(sdk.SessionCommit),
		"realpath":      sdk.Op(realpath),
		"raw":           sdk.OpBody(raw),
		"notGranted":    sdk.Op(notGranted),

		"fan":         sdk.Op(fan),
		"fanSleep":    sdk.Op(fanSleep),
		"chain":       sdk.Op(chain),
		"many":        sdk.Op(many),
		"cancelDefer": sdk.Op(cancelDefer),
		"cancelDeaf":  sdk.Op(cancelDeaf),
		"lateChild":   sdk.Op(lateChild),
		"open":        sdk.Op(open),
		"swallow":     sdk.Op(swallow),
	}}
}}

type probe struct {
	config json.RawMessage
	calls  int
}

// none is the head of ops that take or answer nothing.
type none struct{}

type size struct {
	N int `json:"n"`
}

func (p *probe) init(config []byte) error {
	if len(config) > 0 {
		p.config = append(json.RawMessage{}, config...)
	}
	var c struct {
		FailInit string `json:"failInit"`
	}
	if json.Unmarshal(config, &c) == nil && c.FailInit != "" {
		return sdk.Errorf("bad-config", "%s", c.FailInit)
	}
	return nil
}

func (p *probe) echo(_ *sdk.Task, head, body []byte) ([]byte, []byte, error) {
	if len(head) == 0 {
		head = []byte("null")
	}
	return head, body, nil
}

func (p *probe) showConfig(*sdk.Task, none) (map[string]json.RawMessage, error) {
	return map[string]json.RawMessage{"config": p.config}, nil
}

func (p *probe) count(*sdk.Task, none) (size, error) {
	p.calls++
	return size{p.calls}, nil
}

func bigBody(_ *sdk.Task, in size, _ []byte) (size, []byte, error) {
	body := make([]byte, in.N)
	for i := range body {
		body[i] = byte(i % 251)
	}
	return in, body, nil
}

func sum(_ *sdk.Task, _ none, body []byte) (map[string]int, []byte, error) {
	total := 0
	for _, b := range body {
		total += int(b)
	}
	return map[string]int{"n": len(body), "sum": total}, nil, nil
}

func now(t *sdk.Task, _ none) (map[string]int64, error) {
	return map[string]int64{"ms": t.Now().UnixMilli()}, nil
}

func random(t *sdk.Task, _ none) (map[string]string, error) {
	return map[string]string{"a": strconv.FormatUint(t.Random(), 10), "b": strconv.FormatUint(t.Random(), 10)}, nil
}

func logs(t *sdk.Task, in struct{ Text string }) (none, error) {
	for _, level := range []sdk.Level{sdk.Debug, sdk.Info, sdk.Warn, sdk.Error} {
		t.Logf(level, "%s", in.Text)
	}
	return none{}, nil
}

func nothing(*sdk.Task, none) (none, error) { return none{}, nil }

// later makes an async handler that sleeps a millisecond first.
func later[In any](f func(*sdk.Task, In) (none, error)) sdk.Handler {
	return sdk.Op(func(t *sdk.Task, in In) (none, error) {
		if err := sdk.Sleep(t, time.Millisecond); err != nil {
			return none{}, err
		}
		return f(t, in)
	})
}
