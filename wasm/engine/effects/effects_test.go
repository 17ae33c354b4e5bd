package effects

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// outcome is what an effect gave, for comparing.
type outcome struct{ Head, Body, Code, Message string }

func perform(t *testing.T, all engine.Effects, kind, head, body string) outcome {
	t.Helper()
	f := all[kind]
	if f == nil {
		t.Fatalf("%s is not offered", kind)
	}
	h, b, err := f(t.Context(), engine.Effect{Plugin: "p", Op: "op", Kind: kind, N: 1, Head: []byte(head), Body: []byte(body)})
	o := outcome{Head: string(h), Body: string(b)}
	if told := new(abi.EffectError); errors.As(err, &told) {
		o.Code, o.Message = told.Code, told.Message
	} else if err != nil {
		o.Message = err.Error()
	}
	return o
}

func expect(t *testing.T, what string, want, got outcome) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestAsk(t *testing.T) {
	all := Ask(func(_ context.Context, q abi.AskRequest) (abi.AskAnswer, error) {
		if q.Tool == "broken" {
			return abi.AskAnswer{}, errors.New("nobody is there")
		}
		return abi.AskAnswer{Outcome: "rejected", Note: "<" + q.Reason + ">", Digest: q.Digest}, nil
	})
	expect(t, "answer", outcome{Head: `{"outcome":"rejected","digest":"d","note":"<why>"}`},
		perform(t, all, abi.EffectAsk, `{"tool":"t","reason":"why","digest":"d"}`, ""))
	expect(t, "error", outcome{Message: "nobody is there"}, perform(t, all, abi.EffectAsk, `{"tool":"broken"}`, ""))
	expect(t, "no question", outcome{Code: abi.CodeBadInput, Message: "The head is not what the effect ask takes."},
		perform(t, all, abi.EffectAsk, `"x"`, ""))
}

// A sleep ends with its call.
func TestSleepAborted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := Sleep()[abi.EffectSleep](ctx, engine.Effect{Kind: abi.EffectSleep, Head: []byte(`{"ms":3600000}`)})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestLLM(t *testing.T) {
	all := LLM(func(_ context.Context, r abi.LLMRequest) (abi.LLMAnswer, []byte, error) {
		return abi.LLMAnswer{Finish: "stop", Output: r.MaxTokens}, []byte("## " + r.Before), nil
	})
	head, body, err := all[abi.EffectLLM](t.Context(), engine.Effect{Kind: abi.EffectLLM, Head: []byte(`{"before":"a","maxTokens":5}`)})
	if err != nil || string(head) != `{"finish":"stop","output":5}` || string(body) != "## a" {
		t.Errorf("%s, %q, %v", head, body, err)
	}
	if _, _, err := all[abi.EffectLLM](t.Context(), engine.Effect{Kind: abi.EffectLLM, Head: []byte(`{}`)}); err == nil {
		t.Error("a request without a cap is taken")
	}
}
