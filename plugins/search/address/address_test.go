package address

import (
	"encoding/json"
	"net/netip"
	"os"
	"testing"
)

// cases are testdata/pages/fetch-url-cases.json.
func cases(t testing.TB) (all []struct {
	URL, Verdict, Reason string
	Resolver             []string
	Sequence             [][]string `json:"resolver_sequence"`
}) {
	t.Helper()
	b, err := os.ReadFile("../testdata/pages/fetch-url-cases.json")
	if err != nil {
		t.Fatal(err)
	}
	into := struct{ URLs any }{&all}
	if err := json.Unmarshal(b, &into); err != nil {
		t.Fatal(err)
	}
	if len(all) < 128 {
		t.Fatalf("only %d cases", len(all))
	}
	return all
}

// verdict is that of a URL and of all that its name is looked up to.
func verdict(raw string, resolved []string) string {
	if _, err := URL(raw); err != nil {
		return "block"
	}
	for _, a := range resolved {
		if ip, err := netip.ParseAddr(a); err != nil || IP(ip) != nil {
			return "block"
		}
	}
	return "allow"
}

func TestCases(t *testing.T) {
	for _, c := range cases(t) {
		resolved := c.Resolver
		for _, answer := range c.Sequence { // the second answer is the one that is dialled
			resolved = answer
		}
		if c.Reason == "no address: error, not block page" {
			continue // there is nothing to judge: the connection fails
		}
		if got := verdict(c.URL, resolved); got != c.Verdict {
			t.Errorf("%.80q: %s, want %s (%s)", c.URL, got, c.Verdict, c.Reason)
		}
	}
}

func TestMore(t *testing.T) {
	for raw, want := range map[string]error{
		"https://site.example:/":          BadPort,
		"https://site.example?x=%31":      nil,
		"http://0x/":                      PrivateIP,
		"http://127.0.0.09/":              Disguised,
		"http://1.2.3.4.5/":               Disguised,
		"http://4294967296/":              Disguised,
		"http://99999999999999999999999/": Disguised,
		"http://8.8/":                     nil,
		"http://a..example/":              Invalid,
		"http://𝟙𝟚𝟟.0.0.𝟙/":               Disguised,
		"http://ｌｏｃａｌｈｏｓｔ/":               PrivateURL,
		"http://xn--p1ai/":                PrivateURL,
		"https://site.example/\u202Ex":    OddText,
		"https://site.example/a b":        OddText,
		"http://[::ffff:8.8.8.8]/":        nil,
		"http://[2001:4860:4860::8888]/":  nil,
		"http://[2606:4700::5efe:a00:1]/": PrivateIP,
		"http://[3fff::1]/":               PrivateIP,
		"http://nas.lan/":                 PrivateURL,
		"http://abc.0x7f/":                Disguised,
	} {
		if _, err := URL(raw); err != want {
			t.Errorf("%q: %v, want %v", raw, err, want)
		}
	}
}

// FuzzURL puts anything before URL: what passes names a host with a dot or a public
// literal, over http or https, without an account.
func FuzzURL(f *testing.F) {
	for _, c := range cases(f) {
		f.Add(c.URL)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := URL(raw)
		if err != nil {
			return
		}
		if u.User != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
			t.Errorf("%q passed as %v", raw, u)
		}
		if ip, err := netip.ParseAddr(u.Hostname()); err == nil && IP(ip) != nil {
			t.Errorf("%q passed and is %v", raw, ip)
		}
	})
}
