package direct

import (
	"context"
	"io"
	"strings"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// answer makes frames of the pieces of one answer.
type answer struct {
	emit    func(chat.Frame)
	decoder decoder
	said    bool // there is text to read
}

// take hands events on. What came before a failure is shown.
func (a *answer) take(events []Event) error {
	for _, e := range events {
		pieces, err := a.decoder.event(e)
		for _, p := range pieces {
			f := chat.Frame{Type: chat.Delta, Sentence: chat.Sentence{Text: p.Text}}
			if p.Kind == Reasoning {
				f.Type = chat.Reasoning
			} else {
				a.said = a.said || strings.TrimSpace(p.Text) != ""
			}
			a.emit(f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// whole takes an answer that comes at once.
func (a *answer) whole(ctx context.Context, body io.Reader) (Finish, error) {
	data, err := io.ReadAll(io.LimitReader(body, MaxEvent))
	if err != nil {
		return "", broken(ctx, err, BrokeOff)
	}
	if err := a.take([]Event{{Data: string(data)}}); err != nil {
		return "", err
	}
	return a.decoder.end()
}

// context tells how full the window is, where that is known.
func (a *answer) context(u Usage, window int64) {
	tokens := u.Prompt + u.Completion
	if window <= 0 || tokens <= 0 {
		return
	}
	a.emit(chat.Frame{Type: chat.ContextUse, Context: &chat.Context{
		Tokens: tokens, Window: window, Percent: int((tokens*100 + window/2) / window), Source: "measured",
	}})
}

// ending says in the host's own words what the answer alone does not tell.
func (a *answer) ending(f Finish) {
	switch {
	case f == MaxTokens:
		a.own(say.AnswerCut)
	case f == Withheld:
		a.own(say.AnswerWithheld)
	case !a.said:
		a.own(say.NoAnswer)
	}
}

func (a *answer) own(key string) {
	a.emit(chat.Frame{Type: chat.Delta, Own: true, Sentence: say.Sentence(key)})
}
