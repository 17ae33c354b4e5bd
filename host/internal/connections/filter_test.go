package connections

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestFilter(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"nothing of it", "nothing of it"},
		{"", ""},
		{secret, "[key]"},
		{"a " + secret + " b " + secret + secret + "\n\n", "a [key] b [key][key]\n\n"},
		{"cut: " + secret[:len(secret)-1], "cut: " + secret[:len(secret)-1]},
		{"twice begun: sk-sk-" + secret, "twice begun: sk-sk-[key]"},
	} {
		for name, reader := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "by the byte": iotest.OneByteReader, "data with the end": iotest.DataErrReader} {
			got, err := io.ReadAll(newFilter(io.NopCloser(reader(strings.NewReader(tt.in))), newKey(secret)))
			if err != nil || string(got) != tt.want {
				t.Errorf("%s, %q: %q, %v, want %q", name, tt.in, got, err, tt.want)
			}
		}
	}
}

// A word for a server that wants any key is none that answers may not hold.
func TestFilterLeavesWords(t *testing.T) {
	for _, key := range []string{"", "k", "none", "ollama"} {
		const text = "make milk, or none, with ollama"
		got, err := io.ReadAll(newKey(key).Filter(io.NopCloser(strings.NewReader(text))))
		if err != nil || string(got) != text {
			t.Errorf("with the key %q: %q, %v", key, got, err)
		}
		if got := newKey(key).Redact(text); got != text { // a list of models, a header
			t.Errorf("with the key %q: %q", key, got)
		}
	}
}

// An event goes on whole before the next one comes.
func TestFilterHoldsNoEventBack(t *testing.T) {
	r, w := io.Pipe()
	f := newFilter(r, newKey(secret))
	buf := make([]byte, 1024)
	for _, event := range []string{"data: {\"a\":1}\n\n", "data: s\n\n", "data: sk-live\n\n"} {
		go func() { _, _ = w.Write([]byte(event)) }()
		if n, err := f.Read(buf); err != nil || string(buf[:n]) != event {
			t.Errorf("%q came as %q, %v", event, buf[:n], err)
		}
	}
}

func FuzzFilter(f *testing.F) {
	f.Add("a "+secret+" b", uint8(3))
	f.Fuzz(func(t *testing.T, text string, at uint8) {
		cut := min(int(at), len(text))
		in := io.MultiReader(strings.NewReader(text[:cut]), strings.NewReader(text[cut:]))
		got, err := io.ReadAll(newFilter(io.NopCloser(in), newKey(secret)))
		if err != nil || strings.Contains(string(got), secret) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
		if !strings.Contains(text, secret) && string(got) != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}

// TestShortKeysAreNoSecrets: nothing is taken out of an answer for the sake of a word.
func TestShortKeysAreNoSecrets(t *testing.T) {
	for key, want := range map[string]string{
		"":          "mkdir work none ollama",
		"k":         "mkdir work none ollama",
		"none":      "mkdir work none ollama",
		"k none ol": "mkdir wor[key]lama",
	} {
		got, err := io.ReadAll(newKey(key).Filter(io.NopCloser(strings.NewReader("mkdir work none ollama"))))
		if string(got) != want || err != nil {
			t.Errorf("key %q: %q, %v", key, got, err)
		}
	}
}
