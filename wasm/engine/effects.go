package engine

import (
	"context"
	"encoding/json"
	"errors"

	"strata.dev/bridge/proto/abi"
)

// Effect is what an op asked the host side for.
type Effect struct {
	Plugin string
	Op     string
	Kind   string // one of the abi.Effect constants
	N      int    // its place among the effects of its call, from 1
	Head   []byte // JSON
	Body   []byte
	// Ask runs a sync op of the plugin itself, for an effect whose carrying out the
	// plugin decides about.
	Ask func(ctx context.Context, op string, head []byte) ([]byte, error)
}

// Func carries out effects of one kind. It runs in a goroutine of its own and
// must return soon after ctx ends: the call is over then and the answer is
// dropped. An error that holds an *abi.EffectError reaches the plugin as it is,
// any other as code "failed" without its text.
type Func func(ctx context.Context, e Effect) (head, body []byte, err error)

// Effects are the kinds that an instance offers. A kind that an op's row does
// not grant is refused whatever stands here.
type Effects map[string]Func

// answer is what a resume carries.
type answer struct {
	token uint32
	ok    bool
	head  []byte
	body  []byte
}

// offered finds what carries out e, or why nothing may.
func (in *Instance) offered(row op, e Effect) (Func, *Error) {
	if !row.grants(e.Kind) {
		return nil, refusal(abi.CodeNotGranted, abi.MsgNotGranted, "op", e.Op, "kind", e.Kind)
	}
	f, ok := in.effects[e.Kind]
	if !ok {
		return nil, refusal(abi.CodeRefused, abi.MsgNoEffect, "kind", e.Kind)
	}
	return f, nil
}

// askSync is Effect.Ask of this instance.
func (in *Instance) askSync(ctx context.Context, name string, head []byte) ([]byte, error) {
	if !in.table[name].Sync {
		return nil, refusal(abi.CodeUnknownOp, abi.MsgUnknownOp, "plugin", in.plugin, "op", name)
	}
	head, _, err := in.Call(ctx, name, head, nil)
	return head, err
}

// answerError is the answer to an effect that did not end well.
func answerError(token uint32, told *abi.EffectError) answer {
	head, _ := json.Marshal(told) // two strings: cannot fail
	return answer{token: token, head: head}
}

// answerOf turns a Func's results into what the guest reads.
func (in *Instance) answerOf(token uint32, e Effect, head, body []byte, err error) answer {
	if err == nil {
		if len(head) == 0 {
			head = []byte("{}")
		}
		return answer{token: token, ok: true, head: head, body: body}
	}
	told := new(abi.EffectError)
	if !errors.As(err, &told) {
		told = &refusal(abi.CodeFailed, abi.MsgEffectFailed, "kind", e.Kind).EffectError
	}
	if err != error(told) { // it has a cause that the plugin does not read
		in.log.Warn("effect failed", "op", e.Op, "kind", e.Kind, "error", err)
	}
	return answerError(token, told)
}
