package connections

import (
	"net/url"
	"testing"
)

func TestMaxHelpers(t *testing.T) {
	for _, c := range []struct {
		upstream string
		slots    int
		want     int
	}{
		{"http://127.0.0.1:8080/v1", 0, 4},
		{"http://localhost:8080/v1", 2, 4},
		{"http://[::1]:8080/v1", 6, 6},
		{"https://api.example.com/v1", 0, 8},
		{"https://api.example.com/v1", 16, 16},
		{"http://192.168.1.5/v1", 2, 8},
	} {
		u, err := url.Parse(c.upstream)
		if err != nil {
			t.Fatal(err)
		}
		one := Connection{ID: "x", Upstream: u, Slots: c.slots}
		if got := MaxHelpers([]Connection{one}); got != c.want || one.Provider("").MaxHelpers != c.want {
			t.Errorf("%s with %d slots: %d, want %d", c.upstream, c.slots, got, c.want)
		}
	}
	if got := MaxHelpers(nil); got != 0 {
		t.Errorf("without a connection: %d", got)
	}
}
