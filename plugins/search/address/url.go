// Package address tells addresses on the public web from those that lead into the
// person's own network or machine. A URL is judged by its words, before anything is
// looked up; an IP address when a connection is about to be made to it.
package address

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxURL is the most characters of a URL (the Harness's own limit).
const MaxURL = 2048

// Refusal is why an address may not be used.
type Refusal string

// Error makes it an error.
func (r Refusal) Error() string { return string(r) }

// Why a URL may not be used. Invalid ones are no addresses of pages, blocked ones
// lead where nothing may go.
const (
	Invalid    Refusal = "it is no complete web address: it must begin with http:// or https:// and name a site"
	TooLong    Refusal = "it is longer than 2,048 characters"
	OddText    Refusal = "it holds characters that no web address holds"
	Account    Refusal = "it holds a user name or password"
	BadPort    Refusal = "its port does not exist"
	PrivateURL Refusal = "it names this computer or a private network"
	Disguised  Refusal = "it spells an IP address in a way that hides it"
)

// URL checks a URL's words and gives it without blanks around it. What it names
// must still be looked up and put before IP.
func URL(text string) (*url.URL, error) {
	text = strings.Trim(text, " \t\r\n")
	switch {
	case utf8.RuneCountInString(text) > MaxURL:
		return nil, TooLong
	case strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r) || r == '\\' || r == utf8.RuneError || unicode.Is(unicode.Cf, r)
	}):
		return nil, OddText
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.Opaque != "" {
		return nil, Invalid
	}
	if u.User != nil {
		return nil, Account
	}
	if port := u.Port(); port != "" || strings.HasSuffix(u.Host, ":") {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return nil, BadPort
		}
	}
	authority, _, _ := strings.Cut(text[strings.Index(text, "//")+2:], "/")
	if strings.Contains(authority, "%") && !strings.ContainsAny(authority[:strings.Index(authority, "%")], "?#") {
		return nil, Disguised
	}
	return u, host(u.Hostname())
}

// host judges a host's name or literal.
func host(name string) error {
	name = fold(strings.ToLower(name))
	if strings.Contains(name, ":") { // an IPv6 literal
		ip, err := netip.ParseAddr(name)
		if err != nil {
			return Invalid
		}
		return IP(ip)
	}
	name = strings.TrimSuffix(name, ".")
	labels := strings.Split(name, ".")
	for _, l := range labels {
		if l == "" || len(l) > 63 {
			return Invalid
		}
	}
	if ip, number := ipv4(labels); number {
		if !ip.IsValid() {
			return Disguised
		}
		return IP(ip)
	}
	last := labels[len(labels)-1]
	switch {
	case len(name) > 253:
		return Invalid
	case len(labels) == 1: // localhost, ip6-localhost, metadata, a machine next door
		return PrivateURL
	case last == "localhost", last == "local", last == "internal", last == "localdomain", last == "home", last == "lan",
		last == "intranet", last == "corp", last == "private", strings.HasSuffix(name, ".home.arpa"):
		return PrivateURL
	case strings.ContainsFunc(last, unicode.IsNumber) && !strings.ContainsFunc(last, unicode.IsLetter):
		return Disguised // digits that a browser folds into those of an IPv4 address
	}
	return nil
}

// fold gives the ASCII for its look-alikes that browsers take for it: full-width
// forms and the ideographic full stops.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0xFF01 && r <= 0xFF5E:
			return unicode.ToLower(r - 0xFF01 + '!')
		case r == 0x3002 || r == 0xFF61:
			return '.'
		}
		return r
	}, name)
}

// ipv4 reads an IPv4 address as browsers do: one to four parts, decimal, octal or
// hex, the last for all that remains. number is false for a name.
func ipv4(labels []string) (ip netip.Addr, number bool) {
	if _, ok := part(labels[len(labels)-1]); !ok {
		return ip, false
	}
	if len(labels) > 4 {
		return ip, true
	}
	var value uint64
	for i, l := range labels {
		n, ok := part(l)
		rest := uint(8 * (4 - i))
		switch {
		case !ok:
			return ip, true
		case i == len(labels)-1:
			if n >= 1<<rest {
				return ip, true
			}
			value |= n
		case n > 255:
			return ip, true
		default:
			value |= n << (rest - 8)
		}
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

// part is a number as in an IPv4 address.
func part(label string) (n uint64, ok bool) {
	base := 10
	switch {
	case label == "0x":
		return 0, true
	case strings.HasPrefix(label, "0x"):
		label, base = label[2:], 16
	case len(label) > 1 && label[0] == '0':
		label, base = label[1:], 8
	}
	if strings.Trim(label, "0123456789abcdef") != "" {
		return 0, false
	}
	n, err := strconv.ParseUint(label, base, 64)
	if err != nil && base == 8 && strings.Trim(label, "0123456789") == "" {
		return 1 << 40, true // 08 is no number, and no name either
	}
	if err != nil && strings.Trim(label, "0123456789") == "" && base == 10 {
		return 1 << 40, true // out of range
	}
	return n, err == nil
}
