package search

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/plugins/search/address"
	"strata.dev/bridge/plugins/search/content"
	"strata.dev/bridge/plugins/search/readable"
	"strata.dev/bridge/plugins/search/webtext"
	"strata.dev/bridge/proto/abi"
)

// Limits of a page: the Harness's own fetch provider has them too.
const (
	maxHops   = 5
	maxTime   = 30 * time.Second // of all hops
	maxShown  = 100_000          // characters
	maxText   = 1 << 20          // bytes that are looked at for them
	pageAgent = "Mozilla/5.0 (compatible; Strata)"
)

// admit judges an address that a connection is about to be made to.
func admit(_ *sdk.Task, in abi.AdmitAddress) (abi.AddressAdmitted, error) {
	ip, err := netip.ParseAddr(in.Address)
	if err != nil {
		return abi.AddressAdmitted{Reason: "it is no IP address"}, nil
	}
	if err := address.IP(ip); err != nil {
		return abi.AddressAdmitted{Reason: err.Error()}, nil
	}
	return abi.AddressAdmitted{Admitted: true}, nil
}

// fetch gets a page and makes text of it.
func fetch(t *sdk.Task, in abi.PageRequest, _ []byte) (abi.Page, []byte, error) {
	at, err := address.URL(in.URL)
	if err != nil {
		return abi.Page{}, nil, refusal(err)
	}
	answer, body, at, err := follow(t, at)
	if err != nil {
		return abi.Page{}, nil, err
	}
	page := abi.Page{URL: at.String(), Status: answer.Status, ContentType: content.Header(answer.Headers, "content-type"), Truncated: answer.Truncated}
	text, err := read(t, &page, answer, body, at)
	if err != nil {
		return abi.Page{}, nil, err
	}
	return page, []byte(text), nil
}

// refusal is what a URL that is not fetched is to a person.
func refusal(err error) error {
	why := address.Invalid
	errors.As(err, &why)
	switch why {
	case address.PrivateURL, address.PrivateIP, address.Disguised, address.Account:
		return sdk.Errorf(abi.CodeBlockedURL, "%s", abi.Fill(abi.SaidBlockedURL, "why", why.Error()))
	}
	return sdk.Errorf(abi.CodeInvalidURL, "%s", abi.Fill(abi.SaidInvalidURL, "why", why.Error()))
}

// follow asks for a page and for where it moved to on the same site; each address
// is judged as the first one was.
func follow(t *sdk.Task, at *url.URL) (abi.WebAnswer, []byte, *url.URL, error) {
	begun, left := t.Now(), maxTime
	for range maxHops + 1 {
		if left <= 0 {
			return abi.WebAnswer{}, nil, nil, late(at)
		}
		sent := *at
		sent.Fragment, sent.RawFragment = "", ""
		answer, body, err := sdk.FetchWeb(t, abi.WebRequest{
			URL: sent.String(), TimeoutMs: int(left.Milliseconds()), MaxBytes: content.MaxBytes,
			Headers: map[string]string{
				"User-Agent": pageAgent, "Accept": "text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.9,application/xml;q=0.8,*/*;q=0.1",
				"Accept-Language": "en-US,en;q=0.9,*;q=0.5",
			},
		})
		if err != nil {
			return abi.WebAnswer{}, nil, nil, unfetched(at, err)
		}
		switch answer.Status {
		case 301, 302, 303, 307, 308:
		default:
			return answer, body, at, nil
		}
		next, err := moved(at, content.Header(answer.Headers, "location"), answer.Status)
		if err != nil {
			return abi.WebAnswer{}, nil, nil, err
		}
		at, left = next, maxTime-t.Now().Sub(begun)
	}
	return abi.WebAnswer{}, nil, nil, sdk.Errorf(abi.CodeRedirect, "%s", abi.SaidLost)
}

// moved is where a redirect leads, on the same site.
func moved(at *url.URL, location string, status int) (*url.URL, error) {
	if location == "" {
		return nil, sdk.Errorf(abi.CodeRedirect, "%s", abi.Fill(abi.SaidNowhere, "status", strconv.Itoa(status)))
	}
	to, err := at.Parse(location)
	if err == nil {
		to, err = address.URL(to.String())
	} else {
		err = address.Invalid
	}
	if err != nil {
		return nil, sdk.Errorf(abi.CodeBlockedURL, "%s", abi.Fill(abi.SaidMovedTo, "why", err.Error()))
	}
	if !sameSite(at, to) {
		return nil, sdk.Errorf(abi.CodeRedirect, "%s", abi.Fill(abi.SaidMoved, "url", webtext.URL(to.String())))
	}
	return to, nil
}

// sameSite tells whether a redirect stays on its origin, or goes to the same host
// over https.
func sameSite(from, to *url.URL) bool {
	if !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return false
	}
	if from.Scheme == to.Scheme {
		return port(from) == port(to)
	}
	return to.Scheme == "https" && port(from) == "80" && port(to) == "443"
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}

// unfetched is what an effect's failure is to a person.
func unfetched(at *url.URL, err error) error {
	switch sdk.Code(err) {
	case abi.CodeCancelled, abi.CodeNotGranted:
		return err
	case abi.CodeDeadline:
		return late(at)
	case abi.CodeRefused:
		return sdk.Errorf(abi.CodeBlockedURL, "%s", abi.Fill(abi.SaidBlockedURL, "why", address.PrivateIP.Error()))
	}
	return sdk.Errorf(abi.CodeUnreachable, "%s", abi.Fill(abi.SaidNotReached, "host", at.Hostname()))
}

func late(at *url.URL) error {
	return sdk.Errorf(abi.CodeTimeout, "%s", abi.Fill(abi.SaidSlow, "host", at.Hostname(), "seconds", strconv.Itoa(int(maxTime/time.Second))))
}

// read makes text of what a server sent.
func read(t *sdk.Task, page *abi.Page, answer abi.WebAnswer, body []byte, at *url.URL) (string, error) {
	body, cut, err := content.Unpack(body, content.Header(answer.Headers, "content-encoding"))
	if err != nil {
		t.Logf(sdk.Warn, "fetch: %s: %v", at.Hostname(), err)
		return "", sdk.Errorf(abi.CodeContentType, "%s", abi.Fill(abi.SaidUnreadCoded, "host", at.Hostname()))
	}
	page.Truncated = page.Truncated || cut
	kind := content.Sniff(body, page.ContentType)
	if kind.Binary != "" {
		return "", sdk.Errorf(abi.CodeContentType, "%s", abi.Fill(abi.SaidNoText, "kind", kind.Binary))
	}
	text, unread := content.Decode(body, page.ContentType)
	if unread != "" {
		decoded, err := sdk.TextDecode(t, unread, body)
		if sdk.Code(err) == abi.CodeCancelled {
			return "", err
		}
		if err == nil {
			text = string(decoded)
		}
	}
	if kind.Page {
		p := readable.Read(text, at)
		page.Title, text = webtext.Line(p.Title, maxTitle), p.Markdown
		page.Truncated = page.Truncated || p.Cut
	}
	if len(text) > maxText {
		text, page.Truncated = strings.ToValidUTF8(text[:maxText], ""), true
	}
	return told(page, answer, webtext.Visible(text)), nil
}

// told is a page's text behind what must be said of it, cut where a paragraph or a
// line ends when it is too long.
func told(page *abi.Page, answer abi.WebAnswer, text string) string {
	said := webtext.Warning
	if wait := content.Header(answer.Headers, "retry-after"); wait != "" && (answer.Status == 429 || answer.Status == 503) {
		said += fmt.Sprintf(" The site answered %d and wants to be left alone (Retry-After: %s).", answer.Status, webtext.Line(wait, 40))
	}
	if page.Title != "" {
		said += "\n\nTitle: " + webtext.Escape(page.Title)
	}
	shown, cut := shorten(text)
	if shown != "" {
		said += "\n\n" + shown
	}
	switch {
	case cut:
		said += fmt.Sprintf("\n\n(The page is longer. These are its first %d characters.)", maxShown)
	case page.Truncated:
		said += "\n\n(The page is longer, or broke off. This is what came of it.)"
	}
	page.Truncated = page.Truncated || cut
	return said
}

// shorten cuts a text to maxShown characters.
func shorten(text string) (string, bool) {
	if len(text) <= maxShown {
		return text, false
	}
	n := 0
	for i := range text {
		if n++; n <= maxShown {
			continue
		}
		for _, end := range []string{"\n\n", "\n", " "} {
			if at := strings.LastIndex(text[:i], end); at > i*9/10 {
				return text[:at], true
			}
		}
		return text[:i], true
	}
	return text, false
}
