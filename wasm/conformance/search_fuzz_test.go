package conformance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/abi"
)

// FuzzSearchNativeIsWasm gives every source anything and a page anything, as native
// code, as WebAssembly under wazero and in the shim: what is read of it must be the
// same bytes.
func FuzzSearchNativeIsWasm(f *testing.F) {
	files, err := filepath.Glob(searchData + "pages/*-*")
	if err != nil || len(files) < 40 {
		f.Fatalf("%d files, %v", len(files), err)
	}
	for i, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), 200, "text/html; charset=utf-8", b)
	}
	sources := []string{
		abi.SourceDuckDuckGo, abi.SourceDuckDuckGoLite, abi.SourceBing, abi.SourceBingRSS, abi.SourceExa, abi.SourcePerplexity,
		abi.SourcePerplexityChat, abi.SourceDeepSeek, abi.SourceDeepSeekMessages, "", // "" is a page
	}
	hosts := everywhere(f, `{"do":"open","instance":"search","plugin":"search","scripted":["fetch.web","text.decode"]}`)
	f.Fuzz(func(t *testing.T, pick uint8, status int, contentType string, body []byte) {
		c := Command{Do: "call", Instance: "search", Call: "c", Op: "fetch", Head: `{"url":"http://site.example/a"}`}
		answer, err := json.Marshal(abi.WebAnswer{Status: status, Headers: map[string]string{"content-type": contentType}})
		if err != nil {
			t.Fatal(err)
		}
		if source := sources[int(pick)%len(sources)]; source != "" {
			head, err := json.Marshal(abi.SearchResponse{Engine: source, Query: "a question", HTTP: abi.SearchHTTP{Status: status, Headers: map[string]string{"content-type": contentType}}})
			if err != nil {
				t.Fatal(err)
			}
			c.Op, c.Head, c.Body = "parse", string(head), body
		}
		var want []Event
		for i, h := range hosts {
			got := readOne(t, h.Host, c, Command{Do: "answer", Call: "c", Head: string(answer), Body: body})
			if i == 0 {
				want = got
			} else if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s of %.200q: %s and %s differ (-%[3]s +%[4]s):\n%s", c.Head, body, hosts[0].name, h.name, diff)
			}
		}
	})
}

// readOne runs a call whose request for a page is answered with a page, and whose charset
// nobody knows.
func readOne(t *testing.T, host Host, c, page Command) (said []Event) {
	t.Helper()
	if err := host.Send(c); err != nil {
		t.Fatal(err)
	}
	r := &Runner{Host: host}
	for {
		e, err := r.next(r.patience())
		if err != nil {
			t.Fatal(err)
		}
		if e.On == "aborted" {
			continue // where an effect was under way, which differs
		}
		said = append(said, e)
		switch {
		case e.On == "done" || e.On == "failed":
			return said
		case e.On != "effect":
			continue
		case e.Kind == abi.EffectFetchWeb:
			page.N = e.N
			err = host.Send(page)
		default:
			err = host.Send(Command{Do: "answer", Call: c.Call, N: e.N, Error: &abi.EffectError{Code: abi.CodeRefused, Message: "none"}})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
