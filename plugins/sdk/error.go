package sdk

import (
	"context"
	"errors"
	"fmt"

	"strata.dev/bridge/proto/abi"
)

// ErrCancelled is what an effect returns when the call was cancelled while it waited.
var ErrCancelled = context.Canceled

// Errorf is an error that fails the call with a code of its own. code is short
// and stable, the message one plain sentence.
func Errorf(code, format string, args ...any) error {
	return &abi.EffectError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// say is an error with one of the ABI's own sentences.
func say(code, sentence string, pairs ...string) error {
	return &abi.EffectError{Code: code, Message: abi.Fill(sentence, pairs...)}
}

// Code is the code with which err would fail a call: the code of the Errorf or
// effect error inside it, "cancelled", or "failed"; "" where there is no error.
func Code(err error) string {
	if err == nil {
		return ""
	}
	code, _ := describeError(err)
	return code
}

// describeError gives the code and message that `failed` pushes for err. An
// error that carries its code itself is told without repeating that code.
func describeError(err error) (code, message string) {
	if coded, ok := err.(*abi.EffectError); ok {
		return coded.Code, coded.Message
	}
	if coded := new(abi.EffectError); errors.As(err, &coded) {
		return coded.Code, err.Error()
	}
	if errors.Is(err, ErrCancelled) {
		return abi.CodeCancelled, abi.MsgCancelled
	}
	return abi.CodeFailed, err.Error()
}
