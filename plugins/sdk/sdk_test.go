package sdk_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/plugins/probe"
	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/plugins/sdk/sdktest"
	"strata.dev/bridge/proto/abi"
)

// end is how a call ended, for comparing.
type end struct {
	Status    sdk.Status
	Head      string
	Body      string
	Code, Msg string
}

func endOf(c *sdktest.Call) end {
	e := end{Status: c.Status, Head: string(c.Head), Body: string(c.Body)}
	if c.Err != nil {
		e.Code, e.Msg = c.Err.Code, c.Err.Message
	}
	return e
}

func done(head string) end         { return end{Status: sdk.Done, Head: head} }
func failed(code, msg string) end  { return end{Status: sdk.Failed, Code: code, Msg: msg} }
func raw(s string) []byte          { return []byte(s) }
func kinds(c *sdktest.Call) string { return fmt.Sprint(len(c.Effects())) }

const fault = abi.MsgPanic

func TestOneEndPerCall(t *testing.T) {
	tests := map[string]struct {
		op   string
		head string
		body string
		want end
	}{
		"head and body unchanged":        {"echo", `{"b":[1, 2],"a":"\u00e9"}`, "\x00\xffraw", end{sdk.Done, `{"b":[1, 2],"a":"\u00e9"}`, "\x00\xffraw", "", ""}},
		"an op without a goroutine":      {"typed", `{"n":3}`, "", done(`{"n":3}`)},
		"an op with a goroutine":         {"echoAsync", `{}`, "", done(`{}`)},
		"an empty head is the zero head": {"typed", "", "", done(`{"n":0}`)},
		"a head of another type":         {"typed", `{"n":"three"}`, "", failed(abi.CodeBadInput, "The head is not what the operation takes: json: cannot unmarshal string into Go struct field size.n of type int.")},
		"a head that is no JSON":         {"typed", `{"n":`, "", failed(abi.CodeBadInput, "The head is not what the operation takes: unexpected end of JSON input.")},
		"an error with a code":           {"fail", `{"code":"too-bad","message":"It went wrong."}`, "", failed("too-bad", "It went wrong.")},
		"an error without a code":        {"fail", `{"message":"It went wrong."}`, "", failed(abi.CodeFailed, "It went wrong.")},
		"an error that is no UTF-8":      {"fail", `{"message":"a\ud800b"}`, "", failed(abi.CodeFailed, "a\uFFFDb")},
		"a panic":                        {"panic", `{}`, "", failed(abi.CodePanic, fault)},
		"a write to a nil map":           {"nilmap", `{}`, "", failed(abi.CodePanic, fault)},
		"an index out of range":          {"index", `{"n":7}`, "", failed(abi.CodePanic, fault)},
		"a sync op that asks":            {"syncEffect", `{}`, "", failed(abi.CodeNotGranted, "This operation answers at once and may not use the effect sleep.")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := sdktest.New(t, probe.Plugin, nil)
			c := d.Start(test.op, raw(test.head), raw(test.body))
			if diff := cmp.Diff(test.want, endOf(c)); diff != "" {
				t.Error(diff)
			}
			if n := d.Open(); n != 0 {
				t.Errorf("%d calls are still open", n)
			}
		})
	}
}

func TestAPanicIsToldInTheLogAlone(t *testing.T) {
	d := sdktest.New(t, probe.Plugin, nil)
	d.Start("panic", nil, nil)
	logs := d.Logs()
	if len(logs) != 1 || !strings.HasPrefix(logs[0], "error: panic: boom on purpose\n") || !strings.Contains(logs[0], "probe.boom") {
		t.Errorf("logs: %q", logs)
	}
	if err := d.Do("echo", nil, nil); err != nil {
		t.Errorf("the next call: %v", err)
	}
}

func TestEffectsBringBackWhatTheHostAnswers(t *testing.T) {
	tests := map[string]struct {
		op, kind, head, body, answer, answerBody string
		want                                     end
	}{
		"ask":            {"ask", "ask", `{"session":"s","callId":"c","tool":"bash","reason":"r","digest":"d"}`, "", `{"outcome":"rejected","note":"no"}`, "", done(`{"outcome":"rejected","note":"no"}`)},
		"sleep":          {"sleep", "sleep", `{"ms":250}`, "", `{}`, "", done(`{}`)},
		"fetch":          {"fetch", "fetch", `{"method":"POST","url":"https://a.invalid/x","headers":{"a":"b"},"timeoutMs":5,"maxBytes":6}`, "ask", `{"status":404,"headers":{"x":"y"}}`, "page", end{sdk.Done, `{"status":404,"headers":{"x":"y"}}`, "page", "", ""}},
		"store.get":      {"storeGet", "store.get", `{"name":"a"}`, "", `{}`, "record", end{sdk.Done, `{}`, "record", "", ""}},
		"store.put":      {"storePut", "store.put", `{"name":"a"}`, "record", ``, "", done(`{}`)},
		"store.append":   {"storeAppend", "store.append", `{"name":"a"}`, "more", `{}`, "", done(`{}`)},
		"store.list":     {"storeList", "store.list", `{"name":"a"}`, "", `{"names":["a1","a2"]}`, "", done(`{"names":["a1","a2"]}`)},
		"store.delete":   {"storeDelete", "store.delete", `{"name":"a"}`, "", `{}`, "", done(`{}`)},
		"session.read":   {"sessionRead", "session.read", `{"session":"s","from":3,"max":2}`, "", `{"events":[{"seq":3}],"revision":9,"next":4}`, "", done(`{"events":[{"seq":3}],"revision":9,"next":4}`)},
		"session.commit": {"sessionCommit", "session.commit", `{"session":"s","expect":{"revision":9,"generation":1},"events":[{"type":"a","data":{"b":1}}]}`, "", `{"seqs":[9]}`, "", done(`{"seqs":[9]}`)},
		"fs.realpath":    {"realpath", "fs.realpath", `{"paths":["/a"]}`, "", `{"real":{"/a":"/b"}}`, "", done(`{"real":{"/a":"/b"}}`)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := sdktest.New(t, probe.Plugin, nil)
			c := d.Start(test.op, raw(test.head), raw(test.body))
			effects := c.Effects()
			if len(effects) != 1 {
				t.Fatalf("%d effects are open", len(effects))
			}
			want := [3]string{test.kind, test.head, test.body}
			if diff := cmp.Diff(want, [3]string{effects[0].Kind, string(effects[0].Head), string(effects[0].Body)}); diff != "" {
				t.Error(diff)
			}
			c.Answer(effects[0], raw(test.answer), raw(test.answerBody))
			if diff := cmp.Diff(test.want, endOf(c)); diff != "" {
				t.Error(diff)
			}

			c = d.Start(test.op, raw(test.head), raw(test.body))
			c.Refuse(c.Effects()[0], "conflict", "It has moved on.")
			if diff := cmp.Diff(failed("conflict", "It has moved on."), endOf(c)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnEffectThatIsNotGranted(t *testing.T) {
	d := sdktest.New(t, probe.Plugin, nil)
	c := d.Start("notGranted", nil, nil)
	want := done(`{"code":"not-granted","message":"The operation notGranted may not use the effect sleep."}`)
	if diff := cmp.Diff(want, endOf(c)); diff != "" {
		t.Error(diff)
	}
}

func TestAnAnswerThatCannotBeRead(t *testing.T) {
	d := sdktest.New(t, probe.Plugin, nil)
	c := d.Start("storeList", nil, nil)
	c.Answer(c.Effects()[0], raw(`{"names":1}`), nil)
	want := failed(abi.CodeFailed, "decoding the answer of effect store.list: json: cannot unmarshal number into Go struct field StoreNames.names of type []string")
	if diff := cmp.Diff(want, endOf(c)); diff != "" {
		t.Error(diff)
	}
}

func TestGroupKeepsEffectsOpenSideBySide(t *testing.T) {
	d := sdktest.New(t, probe.Plugin, nil)
	c := d.Start("fan", map[string][]string{"urls": {"http://a", "http://b", "http://c"}}, nil)
	open := c.Effects()
	if len(open) != 3 {
		t.Fatalf("%s effects are open", kinds(c))
	}
	byURL := map[string]*sdktest.Effect{}
	for _, e := range open {
		byURL[string(e.Head)] = e
	}
	c.Refuse(byURL[`{"method":"","url":"http://b"}`], "refused", "Not there.")
	c.Answer(byURL[`{"method":"","url":"http://c"}`], raw(`{"status":203}`), nil)
	if c.Status != sdk.Waiting {
		t.Fatalf("ended with one effect open: %+v", endOf(c))
	}
	c.Answer(byURL[`{"method":"","url":"http://a"}`], raw(`{"status":201}`), nil)
	want := done(`{"answers":[{"status":201},{"code":"refused","message":"Not there."},{"status":203}]}`)
	if diff := cmp.Diff(want, endOf(c)); diff != "" {
		t.Error(diff)
	}
}

func TestAPanicInAChildFailsTheCall(t *testing.T) {
	d := sdktest.New(t, probe.Plugin, nil)
	c := d.Start("panicChild", nil, nil)
	c.Answer(c.Effects()[0], nil, nil)
	if diff := cmp.Diff(failed(abi.CodePanic, fault), endOf(c)); diff != "" {
		t.Error(diff)
	}
}

func TestAChildThatOutlivesItsHandlerIsCancelled(t *testing.T) {
	d := sdktest.New(t, probe.Plugin, nil)
	c := d.Start("lateChild", map[string]int{"ms": 3_600_000}, nil)
	for _, e := range c.Effects() {
		if string(e.Head) == `{"ms":1}` {
			c.Answer(e, nil, nil)
		}
	}
	if diff := cmp.Diff(done(`{"ok":true}`), endOf(c)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"info: child: cancelled"}, d.Logs()); diff != "" {
		t.Error(diff)
	}
	if n := d.Open(); n != 0 {
		t.Errorf("%d calls are still open", n)
	}
}

func TestCancelEndsWhatWaits(t *testing.T) {
	d := sdktest.New(t, probe.Plugin, nil)
	other := d.Start("sleep", map[string]int{"ms": 1}, nil)
	c := d.Start("cancelDefer", nil, nil)
	late := c.Effects()[0]
	c.Cancel()
	if diff := cmp.Diff([]string{"info: deferred"}, d.Logs()); diff != "" {
		t.Error(diff)
	}
	if status := c.Late(late, nil); status != sdk.Waiting {
		t.Errorf("a late answer gave status %d", status)
	}
	if diff := cmp.Diff(end{Status: sdk.Waiting}, endOf(c)); diff != "" {
		t.Errorf("a cancelled call pushed its end: %s", diff)
	}
	other.Answer(other.Effects()[0], nil, nil)
	if diff := cmp.Diff(done("{}"), endOf(other)); diff != "" {
		t.Error(diff)
	}
	if n := d.Open(); n != 0 {
		t.Errorf("%d calls are still open", n)
	}
}

func TestCancelEndsAGoroutineThatIsDeafToIt(t *testing.T) {
	d := sdktest.New(t, probe.Plugin, nil)
	c := d.Start("cancelDeaf", nil, nil)
	c.Cancel()
	if diff := cmp.Diff([]string{"info: ended"}, d.Logs()); diff != "" {
		t.Error(diff)
	}
	if n := d.Open(); n != 0 {
		t.Errorf("%d calls are still open", n)
	}
}

func TestCancelOfAGroup(t *testing.T) {
	d := sdktest.New(t, probe.Plugin, nil)
	c := d.Start("many", map[string]int{"n": 40}, nil)
	c.Cancel()
	if n := d.Open(); n != 0 {
		t.Errorf("%d calls are still open", n)
	}
}

func TestCallsInterleave(t *testing.T) {
	d := sdktest.New(t, probe.Plugin, nil)
	calls := make([]*sdktest.Call, 20)
	for i := range calls {
		calls[i] = d.Start("chain", map[string]int{"n": i + 1}, nil)
	}
	for open := len(calls); open > 0; {
		for i, c := range calls {
			if c == nil {
				continue
			}
			c.Answer(c.Effects()[0], nil, nil)
			if c.Status == sdk.Waiting {
				continue
			}
			if diff := cmp.Diff(done(fmt.Sprintf(`{"n":%d}`, i+1)), endOf(c)); diff != "" {
				t.Error(diff)
			}
			calls[i] = nil
			open--
		}
	}
}

func TestBrokenRulesAreSeen(t *testing.T) {
	tests := map[string]string{"twodone": abi.RuleTwice, "foreign": abi.RuleForeign, "rawSyncEffect": abi.RuleSync}
	for op, rule := range tests {
		t.Run(op, func(t *testing.T) {
			d := sdktest.New(t, probe.Plugin, nil)
			d.Start(op, nil, nil)
			if diff := cmp.Diff([]string{rule}, d.Violations); diff != "" {
				t.Error(diff)
			}
			d.Violations = nil
		})
	}
}

func TestInitFailsWithItsOwnWords(t *testing.T) {
	_, err := sdktest.Start(t, probe.Plugin, map[string]string{"failInit": "No."})
	want := &abi.EffectError{Code: "bad-config", Message: "No."}
	var got *abi.EffectError
	if !errors.As(err, &got) || *got != *want {
		t.Errorf("init: %v", err)
	}
}

func TestWaitTellsTheFirstFunctionThatFailed(t *testing.T) {
	var got error
	p := plugin("p", []abi.Op{{Name: "a", Effects: []string{"sleep"}}}, sdk.Ops{"a": sdk.Op(func(t *sdk.Task, _ struct{}) (string, error) {
		empty := t.Group().Wait()
		g := t.Group()
		for _, ms := range []time.Duration{1, 2, 3} {
			g.Go(func() error { return sdk.Sleep(t, ms*time.Millisecond) })
		}
		got = g.Wait()
		return fmt.Sprint(empty), nil
	})})
	d := sdktest.New(t, p, nil)
	c := d.Start("a", nil, nil)
	byHead := map[string]*sdktest.Effect{}
	for _, e := range c.Effects() {
		byHead[string(e.Head)] = e
	}
	c.Refuse(byHead[`{"ms":3}`], "third", "x")
	c.Refuse(byHead[`{"ms":2}`], "second", "x")
	c.Answer(byHead[`{"ms":1}`], nil, nil)
	if diff := cmp.Diff(done(`"\u003cnil\u003e"`), endOf(c)); diff != "" {
		t.Error(diff)
	}
	if sdk.Code(got) != "second" {
		t.Errorf("Wait: %v", got)
	}
}

func TestClockRandomAndLogs(t *testing.T) {
	d := sdktest.New(t, probe.Plugin, nil)
	next := uint64(0)
	d.Clock, d.Rand = func() uint64 { return 1_700_000_000_123 }, func() uint64 { next++; return next }
	var now map[string]int64
	if err := d.Do("now", nil, &now); err != nil || now["ms"] != 1_700_000_000_123 {
		t.Errorf("now: %v, %v", now, err)
	}
	var random map[string]string
	if err := d.Do("random", nil, &random); err != nil || cmp.Diff(map[string]string{"a": "1", "b": "2"}, random) != "" {
		t.Errorf("random: %v, %v", random, err)
	}
	if err := d.Do("logs", map[string]string{"text": "é"}, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"debug: é", "info: é", "warn: é", "error: é"}, d.Logs()); diff != "" {
		t.Error(diff)
	}
}
