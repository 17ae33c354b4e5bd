package say

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/chat"
)

func TestSentence(t *testing.T) {
	for _, tt := range []struct {
		name string
		key  string
		args []string
		want chat.Sentence
	}{
		{"plain", "Stopped.", nil, chat.Sentence{Text: "Stopped.", Key: "Stopped."}},
		{"one place", "Use {model}.", []string{"model", "a/b"},
			chat.Sentence{Text: "Use a/b.", Key: "Use {model}.", Args: map[string]string{"model": "a/b"}}},
		{"a value that looks like a place", "{a}{b}", []string{"a", "{b}", "b", "x"},
			chat.Sentence{Text: "{b}x", Key: "{a}{b}", Args: map[string]string{"a": "{b}", "b": "x"}}},
		{"missing value", "Use {model}.", nil, chat.Sentence{Text: "Use {model}.", Key: "Use {model}."}},
		{"odd arguments", "Use {model}.", []string{"model"}, chat.Sentence{Text: "Use {model}.", Key: "Use {model}."}},
		{"spare value", "Hi {x}.", []string{"x", "1", "y", "2"},
			chat.Sentence{Text: "Hi 1.", Key: "Hi {x}.", Args: map[string]string{"x": "1", "y": "2"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, Sentence(tt.key, tt.args...)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestError(t *testing.T) {
	want := &chat.Error{Code: chat.CodeModelUnavailable, Details: "404", Sentence: chat.Sentence{
		Text: "The model m is not available. Choose another model and send the message again.",
		Key:  ModelUnavailable, Args: map[string]string{"model": "m"},
	}}
	got := Error(chat.CodeModelUnavailable, "404", ModelUnavailable, "model", "m")
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
