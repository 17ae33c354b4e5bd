package connections

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
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

// filtered is what of an answer of plain text goes on.
func filtered(k Key, text string) ([]byte, error) {
	return streamed(k, "text/plain", strings.NewReader(text))
}

// streamed is what of an answer goes on.
func streamed(k Key, kind string, body io.Reader) ([]byte, error) {
	res := &http.Response{Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(body)}
	k.Filter(res)
	return io.ReadAll(res.Body)
}

// However a server writes the key, it is taken out.
func TestFilterOfForms(t *testing.T) {
	const odd = `k/+"e\y %&=ü-0123456789` // what no service has; whatever it is
	for name, form := range map[string]func(string) string{
		"in a URL": url.QueryEscape, "in a path": url.PathEscape,
		"in JSON":           func(s string) string { b, _ := json.Marshal(s); return string(b[1 : len(b)-1]) },
		"hex":               func(s string) string { return hex.EncodeToString([]byte(s)) },
		"HEX":               func(s string) string { return fmt.Sprintf("%X", s) },
		"base64":            func(s string) string { return base64.StdEncoding.EncodeToString([]byte("u:" + s)) },
		"base64, after one": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("x" + s + "yz")) },
		"base64, whole":     func(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) },
	} {
		for _, plain := range []string{secret, odd} {
			told := form(plain)
			got, err := filtered(newKey(plain), "a "+told+" b")
			// Of base64 the outermost characters are not the key's alone.
			if text := string(got); err != nil || !strings.Contains(text, hidden) || len(text) > len("a [key] b")+6 {
				t.Errorf("%s, %q: %q, %v", name, told, got, err)
			}
			if got := newKey(plain).Redact("a " + told + " b"); !strings.Contains(got, hidden) {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
}

// A word for a server that wants any key is none that answers may not hold.
func TestFilterLeavesWords(t *testing.T) {
	for _, key := range []string{"", "k", "none", "ollama", "lm-studio", "LM-Studio", "not-needed"} {
		const text = "make milk, or none, with ollama or lm-studio, LM-Studio; a key is not-needed"
		got, err := filtered(newKey(key), text)
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
		got, err := filtered(newKey(key), "mkdir work none ollama")
		if string(got) != want || err != nil {
			t.Errorf("key %q: %q, %v", key, got, err)
		}
	}
}
