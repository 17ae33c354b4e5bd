package direct

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"golang.org/x/tools/txtar"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/profile"
	"strata.dev/bridge/proto/chat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var update = flag.Bool("update", false, "rewrite request and frames in testdata/*.txtar")

// secret is the key of every connection in these tests.
const secret = "sk-test-0123456789abcdef"

// setup is what a recording begins with.
type setup struct {
	Upstream string
	API      connections.API
	Model    string
	Window   int64
	Output   int64 // most that the model answers
	Images   bool
	Efforts  []profile.Effort
	Turn     struct {
		Model    string
		Text     string
		Effort   string
		Earlier  []chat.Message
		Pictures []chat.Attachment
	}
}

func (s setup) connection(t testing.TB) connections.Connection {
	t.Helper()
	u, err := url.Parse(s.Upstream)
	if err != nil {
		t.Fatal(err)
	}
	return connections.Connection{ID: "p", Upstream: u, API: s.API, Key: key(t), Models: []connections.Model{{
		ID: s.Model, ContextWindow: s.Window, MaxOutput: s.Output, NoPictures: !s.Images, Efforts: s.Efforts,
	}}}
}

func key(t testing.TB) connections.Key {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	k, _, err := connections.ReadKey("--key-file", path)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (s setup) turn() Turn {
	t := Turn{Model: "p/" + s.Model, Mode: "manual", Effort: s.Turn.Effort, Text: s.Turn.Text, Earlier: s.Turn.Earlier, Pictures: s.Turn.Pictures}
	if s.Turn.Model != "" {
		t.Model = s.Turn.Model
	}
	return t
}

// recording is one file of testdata: what is asked, the request that is to be made of
// it, the server's answer, and the frames that are to be made of that.
type recording struct {
	path    string
	archive *txtar.Archive
	setup   setup
}

func recordings(t testing.TB) []recording {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d recordings, %v", len(paths), err)
	}
	var out []recording
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r := recording{path: path, archive: a}
		if err := json.Unmarshal([]byte(r.file("setup.json")), &r.setup); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, r)
	}
	return out
}

func (r recording) name() string { return strings.TrimSuffix(filepath.Base(r.path), ".txtar") }

func (r recording) file(name string) string {
	for _, f := range r.archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// want compares a file of the recording, or rewrites it.
func (r recording) want(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		for i, f := range r.archive.Files {
			if f.Name == name {
				r.archive.Files[i].Data = []byte(got)
				got = ""
			}
		}
		if got != "" {
			r.archive.Files = append(r.archive.Files, txtar.File{Name: name, Data: []byte(got)})
		}
		if err := os.WriteFile(r.path, txtar.Format(r.archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(r.file(name), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// server answers one request as recorded, its body in the reads that cut gives.
type server struct {
	r       recording
	cut     func(io.Reader) io.Reader
	request string // as it came, with its headers that count
}

func (s *server) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s %s\n", req.Method, req.URL)
	if err := req.Header.WriteSubset(&out, nil); err != nil {
		return nil, err
	}
	if err := json.Indent(&out, body, "", " "); err != nil {
		return nil, err
	}
	s.request = strings.ReplaceAll(out.String(), "\r", "") + "\n"

	head := strings.Split(strings.TrimSpace(s.r.file("response.http")), "\n")
	res := &http.Response{Header: http.Header{}, Body: io.NopCloser(s.cut(strings.NewReader(s.r.file("response"))))}
	if _, err := fmt.Sscan(head[0], &res.StatusCode); err != nil {
		return nil, err
	}
	for _, line := range head[1:] {
		name, value, _ := strings.Cut(line, ": ")
		res.Header.Set(name, value)
	}
	return res, nil
}

// play answers the recording's turn.
func (r recording) play(t *testing.T, cut func(io.Reader) io.Reader) (request, frames string) {
	s := &server{r: r, cut: cut}
	c := New(Options{Connections: []connections.Connection{r.setup.connection(t)}, Transport: s})
	defer c.Close()
	var out strings.Builder
	c.Answer(t.Context(), r.setup.turn(), func(f chat.Frame) {
		line, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(line, '\n'))
	})
	return s.request, out.String()
}

// TestRecordings: each turn makes its request, and the answer its frames, whether it
// comes whole or a byte at a time. The key is in one header and nowhere else.
func TestRecordings(t *testing.T) {
	for _, r := range recordings(t) {
		t.Run(r.name(), func(t *testing.T) {
			request, frames := r.play(t, func(r io.Reader) io.Reader { return r })
			if n := strings.Count(request, secret); request != "" && n != 1 {
				t.Errorf("the key is in the request %d times", n)
			}
			if strings.Contains(frames, secret) {
				t.Error("the key is in a frame")
			}
			r.want(t, "request", strings.ReplaceAll(request, secret, "KEY"))
			r.want(t, "frames", frames)
			if _, again := r.play(t, func(r io.Reader) io.Reader { return oneByte{r} }); again != frames {
				t.Errorf("byte by byte (-whole +bytes):\n%s", cmp.Diff(frames, again))
			}
		})
	}
}

type oneByte struct{ io.Reader }

func (r oneByte) Read(p []byte) (int, error) { return r.Reader.Read(p[:1]) }

// TestEveryCut: a stream that is cut in two at any byte gives the same pieces and end,
// and one that ends at any byte gives a beginning of them.
func TestEveryCut(t *testing.T) {
	streams := 0
	for _, r := range recordings(t) {
		body := r.file("response")
		if !strings.Contains(body, "data: ") {
			continue
		}
		streams++
		t.Run(r.name(), func(t *testing.T) {
			conn := r.setup.connection(t)
			whole := decode(t, decoderOf(conn), body)
			for i := range len(body) + 1 {
				if got := decode(t, decoderOf(conn), body[:i], body[i:]); got != whole {
					t.Fatalf("cut at %d:\n%s", i, cmp.Diff(whole, got))
				}
			}
			said, _, _ := strings.Cut(whole, "\n=")
			for i, part := range beginnings(t, decoderOf(conn), body) {
				if !strings.HasPrefix(said, part) {
					t.Fatalf("ended at %d it gives what the whole does not:\n%s", i, part)
				}
			}
		})
	}
	if streams < 20 {
		t.Errorf("%d streams", streams)
	}
}

// decode writes down what parser and decoder make of a stream.
func decode(t testing.TB, d decoder, parts ...string) string {
	var p Parser
	var out strings.Builder
	for _, part := range parts {
		events, err := p.Feed([]byte(part))
		if err != nil {
			t.Fatal(err)
		}
		if failed := write(t, &out, d, events); failed != nil {
			fmt.Fprintf(&out, "\n= %v", failed)
			return out.String()
		}
	}
	finish, err := d.end()
	typed(t, err)
	fmt.Fprintf(&out, "\n= %s %v %+v", finish, err, d.used())
	return out.String()
}

// beginnings are the pieces that have come after each byte.
func beginnings(t testing.TB, d decoder, body string) []string {
	var p Parser
	var out strings.Builder
	var all []string
	for i := range len(body) {
		events, err := p.Feed([]byte(body[i : i+1]))
		if err != nil {
			t.Fatal(err)
		}
		failed := write(t, &out, d, events)
		all = append(all, out.String())
		if failed != nil {
			break
		}
		if _, err := d.end(); err != nil {
			typed(t, err)
		}
	}
	return all
}

func write(t testing.TB, out io.Writer, d decoder, events []Event) error {
	for _, e := range events {
		pieces, err := d.event(e)
		for _, p := range pieces {
			if p.Text == "" {
				t.Error("an empty piece")
			}
			fmt.Fprintf(out, "\n%d %q", p.Kind, p.Text)
		}
		if err != nil {
			typed(t, err)
			return err
		}
	}
	return nil
}

// typed checks that an error of a decoder is a *Failure.
func typed(t testing.TB, err error) {
	if f := (*Failure)(nil); err != nil && !errors.As(err, &f) {
		t.Errorf("an error of another kind: %v", err)
	}
}

// FuzzDecode: whatever a server sends, cut in two anywhere gives what it gives whole,
// and each failure has a sentence.
func FuzzDecode(f *testing.F) {
	for _, r := range recordings(f) {
		f.Add(r.file("response"), len(r.file("response"))/2, r.setup.API == connections.Anthropic)
	}
	f.Add("data: {\"choices\":[{\"delta\":{\"content\":[{\"text\":\"a\"}]}}]}\r\n\r\n\xef\xbb\xbfdata:x\n\n", 3, false)
	f.Fuzz(func(t *testing.T, body string, cut int, other bool) {
		if len(body) > MaxEvent {
			return
		}
		fresh := func() decoder {
			if other {
				return &anthropic{}
			}
			return &openAI{}
		}
		cut = max(0, min(cut, len(body)))
		if diff := cmp.Diff(decode(t, fresh(), body), decode(t, fresh(), body[:cut], body[cut:])); diff != "" {
			t.Error(diff)
		}
		fail := refusal(cut%600, []byte(body), body, time.Unix(0, 0))
		if e := fail.Chat("p/m"); e.Text == "" || e.Code == "" || len(e.Actions) == 0 || fail.Wait < 0 {
			t.Errorf("%+v", e)
		}
	})
}
