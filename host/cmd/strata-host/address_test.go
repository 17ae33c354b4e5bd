package main

import (
	"net"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAddress(t *testing.T) {
	type want struct {
		URL   string
		Hosts []string
	}
	local := []net.IP{net.IPv4(10, 0, 0, 7)}
	for _, tt := range []struct {
		listen string
		ip     net.IP
		want   want
	}{
		{"127.0.0.1:0", net.IPv4(127, 0, 0, 1), want{"http://127.0.0.1:8080/", []string{"127.0.0.1:8080", "localhost:8080"}}},
		{"localhost:0", net.IPv4(127, 0, 0, 1), want{"http://localhost:8080/", []string{"127.0.0.1:8080", "localhost:8080"}}},
		{"[::1]:8080", net.IPv6loopback, want{"http://[::1]:8080/", []string{"[::1]:8080", "localhost:8080"}}},
		{":8080", net.IPv6unspecified, want{"http://127.0.0.1:8080/", []string{"10.0.0.7:8080", "127.0.0.1:8080", "[::1]:8080", "localhost:8080"}}},
		{"0.0.0.0:8080", net.IPv4zero, want{"http://127.0.0.1:8080/", []string{"10.0.0.7:8080", "127.0.0.1:8080", "[::1]:8080", "localhost:8080"}}},
		{"Box.lan:8080", net.IPv4(10, 0, 0, 7), want{"http://box.lan:8080/", []string{"10.0.0.7:8080", "box.lan:8080"}}},
		{"10.0.0.7:8080", net.IPv4(10, 0, 0, 7), want{"http://10.0.0.7:8080/", []string{"10.0.0.7:8080"}}},
	} {
		url, hosts, err := address(tt.listen, &net.TCPAddr{IP: tt.ip, Port: 8080}, local)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tt.want, want{url, hosts}); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.listen, d)
		}
	}
}
