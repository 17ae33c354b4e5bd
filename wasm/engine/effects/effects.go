// Package effects carries out what plugins ask their host side for: for real
// (sleep, fetch, store, realpath, a session log in memory, a question put to a
// callback) or replayed from a file. The Node shim does the same in
// shim/lib/effects.mjs; conformance/README.md says what both must agree on.
package effects

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/engine"
)

// typed makes an engine.Func of a function over the head's type. A head that is
// not a Q, or has nothing for one of the needed members, fails with code bad-input.
func typed[Q, A any](f func(ctx context.Context, q Q, body []byte) (A, []byte, error), needed ...string) engine.Func {
	return func(ctx context.Context, e engine.Effect) ([]byte, []byte, error) {
		var q Q
		if err := errors.Join(json.Unmarshal(e.Head, &q), holdsAll(e.Head, needed)); err != nil {
			return nil, nil, because(err, abi.CodeBadInput, abi.MsgEffectHead, "kind", e.Kind)
		}
		a, body, err := f(ctx, q, e.Body)
		if err != nil {
			return nil, nil, err
		}
		head, err := encode(a)
		return head, body, err
	}
}

// holdsAll tells which of the members an object lacks.
func holdsAll(object []byte, members []string) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(object, &all); err != nil || all == nil {
		return errors.Join(errors.New("it is no object"), err)
	}
	for _, m := range members {
		if v, there := all[m]; !there || string(v) == "null" {
			return fmt.Errorf("it has no %q", m)
		}
	}
	return nil
}

// none is the answer of effects that have nothing to say.
type none struct{}

// encode is JSON without HTML escapes, as JavaScript writes it.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding an effect's answer: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// refuse is an error that the plugin reads as it stands.
func refuse(code, sentence string, pairs ...string) error {
	return &abi.EffectError{Code: code, Message: abi.Fill(sentence, pairs...)}
}

// because is refuse with a cause that goes to the log only.
func because(cause error, code, sentence string, pairs ...string) error {
	return fmt.Errorf("%w (%w)", refuse(code, sentence, pairs...), cause)
}
