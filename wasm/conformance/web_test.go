package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"sync/atomic"
	"testing"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/engine"
	"strata.dev/bridge/wasm/engine/effects"
)

// urlCase is one of fetch-url-cases.json.
type urlCase struct {
	URL, Verdict, Reason string
	Resolver             []netip.Addr
	Sequence             [][]netip.Addr `json:"resolver_sequence"`
}

// Every URL that must be blocked is, by the real plugin under wazero, and nothing
// reaches a trap that listens where all of them lead; the others get through.
func TestWebGuard(t *testing.T) {
	t.Parallel()
	var all struct{ URLs []urlCase }
	if err := json.Unmarshal(read(t, searchData+"pages/fetch-url-cases.json"), &all); err != nil {
		t.Fatal(err)
	}
	if len(all.URLs) < 128 {
		t.Fatalf("only %d cases", len(all.URLs))
	}
	var trapped atomic.Int32
	trap := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { trapped.Add(1) }))
	defer trap.Close()

	module, err := os.ReadFile(modules["search"])
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(t.Context(), module, engine.Config{CacheDir: engine.UserCacheDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close(context.Background())

	var looked []netip.Addr // what a lookup gives
	var dialled []string
	var open bool // the URL may be fetched; where one that may not leads, the trap is
	offered := effects.FetchWeb(effects.WebOptions{
		Lookup: func(context.Context, string) ([]netip.Addr, error) { return looked, nil },
		Dial: func(ctx context.Context, _, address string) (net.Conn, error) {
			dialled = append(dialled, address)
			if open {
				return nil, errors.New("far enough")
			}
			return new(net.Dialer).DialContext(ctx, "tcp", trap.Listener.Addr().String())
		},
	})
	instance, err := e.Instance("search", engine.Options{Effects: offered})
	if err != nil {
		t.Fatal(err)
	}
	fetch := func(url string) string {
		head, err := json.Marshal(abi.PageRequest{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		dialled = nil
		_, _, err = instance.Call(t.Context(), "fetch", head, nil)
		if told := new(engine.Error); !errors.As(err, &told) {
			t.Fatalf("%.80q: %v", url, err)
		} else if len(dialled) > 0 && told.Code != abi.CodeUnreachable {
			t.Errorf("%.80q was connected to and is %s", url, told.Code)
		}
		if len(dialled) > 0 {
			return "allow"
		}
		return "block"
	}
	for _, c := range all.URLs {
		looked = []netip.Addr{netip.MustParseAddr("93.184.215.14")}
		if c.Resolver != nil {
			looked = c.Resolver
		}
		if len(c.Sequence) == 2 { // the name changes its mind between two fetches
			looked, open = c.Sequence[0], true
			if got := fetch(c.URL); got != "allow" {
				t.Errorf("%s: its public address is %s", c.URL, got)
			}
			looked = c.Sequence[1]
		}
		open = c.Verdict == "allow"
		if got := fetch(c.URL); got != c.Verdict {
			t.Errorf("%.80q: %s, want %s (%s)", c.URL, got, c.Verdict, c.Reason)
		}
	}

	// With the system's own network: the trap's address, in three spellings.
	real, err := e.Instance("search", engine.Options{Effects: effects.FetchWeb(effects.WebOptions{})})
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(trap.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"} {
		head, err := json.Marshal(abi.PageRequest{URL: "http://" + host + ":" + port + "/"})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = real.Call(t.Context(), "fetch", head, nil)
		if told := new(engine.Error); !errors.As(err, &told) || told.Code != abi.CodeBlockedURL {
			t.Errorf("%s: %v", host, err)
		}
	}
	if n := trapped.Load(); n > 0 {
		t.Errorf("the trap got %d requests", n)
	}
}
