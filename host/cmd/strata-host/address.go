package main

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	"strata.dev/bridge/host/internal/httpapi"
)

// address gives the URL that a person opens, without the token, and the Host
// headers that name this server. Listen is the flag's value; bound is what became
// of it, with the port that was taken.
func address(listen string, bound net.Addr, local []net.IP) (url string, hosts []string, err error) {
	hosts, err = httpapi.Hosts(bound.String(), local)
	if err != nil {
		return "", nil, err
	}
	_, port, err := net.SplitHostPort(bound.String())
	if err != nil {
		return "", nil, err
	}
	name, _, _ := net.SplitHostPort(listen)
	name = strings.ToLower(name)
	ip, err := netip.ParseAddr(name)
	switch {
	case name == "" || err == nil && ip.IsUnspecified():
		name = "127.0.0.1" // every address is also this machine's own
	case err != nil: // a name that the person gave is one of ours
		named, err := httpapi.Hosts(net.JoinHostPort(name, port), nil)
		if err != nil {
			return "", nil, err
		}
		hosts = append(hosts, named...)
	}
	slices.Sort(hosts)
	return "http://" + net.JoinHostPort(name, port) + "/", slices.Compact(hosts), nil
}

// localAddresses are this machine's own, for a listener on all of them.
func localAddresses() []net.IP {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	var out []net.IP
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok {
			out = append(out, n.IP)
		}
	}
	return out
}
