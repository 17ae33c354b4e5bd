package source

import (
	"net/url"
	"strings"
)

// target gives a link's own address: resolved against the page it stands on,
// the engine's redirect unwrapped once. "" is a link that is no result: not http
// or https, or the engine's own.
func target(href string, page *url.URL, engine string, unwrap func(*url.URL) (string, bool)) string {
	link, u := absolute(href, page)
	if u == nil {
		return ""
	}
	if of(u.Hostname(), engine) {
		inner, wrapped := unwrap(u)
		if !wrapped {
			return "" // a page of the engine's own, or an ad's
		}
		if link, u = absolute(inner, nil); u == nil || of(u.Hostname(), engine) {
			return ""
		}
	}
	return link
}

// absolute is a link as it stands, with the page's scheme or origin before it
// when it lacks one; nil when it is no http(s) address.
func absolute(href string, page *url.URL) (string, *url.URL) {
	href = strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' { // as browsers do
			return -1
		}
		return r
	}, strings.Trim(href, " \t\n\r\f\u00a0"))
	u, err := url.Parse(href)
	if err != nil {
		return "", nil
	}
	if u.Scheme == "" {
		if page == nil {
			return "", nil
		}
		u = page.ResolveReference(u)
		if strings.HasPrefix(href, "//") {
			href = page.Scheme + ":" + href
		} else {
			href = u.String()
		}
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.Opaque != "" {
		return "", nil
	}
	return href, u
}

// of tells whether host is the domain or below it.
func of(host, domain string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == domain || strings.HasSuffix(host, "."+domain)
}

// parameter is the first value of a query parameter as it is written; Go's own
// reading refuses the odd queries that engines make.
func parameter(u *url.URL, name string) (string, bool) {
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		if key, value, _ := strings.Cut(pair, "="); key == name {
			return value, true
		}
	}
	return "", false
}

// plain is the address of a link that needs no unwrapping; "" when it is none.
func plain(href string) string {
	link, _ := absolute(href, nil)
	return link
}

func mustURL(s string) *url.URL {
	u, err := url.Parse(s)
	if err != nil {
		panic(err)
	}
	return u
}
