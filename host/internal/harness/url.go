package harness

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// urlPrefix begins the one line that the Harness prints on standard output.
const urlPrefix = "dsh web: "

// parseURLLine reads a line of standard output. Found is false for any other
// line. A URL line that is not exactly http://<loopback address>:<port> is an
// error: nothing else may get the launch secret.
func parseURLLine(line string) (base string, found bool, err error) {
	text, found := strings.CutPrefix(line, urlPrefix)
	if !found {
		return "", false, nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return "", true, fmt.Errorf("URL line %q: %w", line, err)
	}
	addr, err := netip.ParseAddr(u.Hostname())
	if err != nil || !addr.IsLoopback() || addr.Zone() != "" {
		return "", true, fmt.Errorf("URL line %q: not a loopback address", line)
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil || port == 0 {
		return "", true, fmt.Errorf("URL line %q: no port", line)
	}
	base = "http://" + netip.AddrPortFrom(addr, uint16(port)).String()
	if base != text {
		return "", true, fmt.Errorf("URL line %q: more than a base URL", line)
	}
	return base, true, nil
}
