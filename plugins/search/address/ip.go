package address

import "net/netip"

// PrivateIP is why an address is not connected to.
const PrivateIP Refusal = "it leads to this computer, a private network or an address that is not on the public internet"

// blocked are the IPv4 networks that are not the public internet (IANA's special
// purpose registry), and one address that a cloud uses for its host agent.
var blocked = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
)

// Of IPv6 only global unicast is the public internet, without its special networks:
// protocol assignments (Teredo among them), documentation, 6to4.
var (
	global    = netip.MustParsePrefix("2000::/3")
	special   = prefixes("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
	nat64     = netip.MustParsePrefix("64:ff9b::/96")
	isatapID  = [4]byte{0, 0, 0x5e, 0xfe}
	isatapID2 = [4]byte{2, 0, 0x5e, 0xfe}
)

func prefixes(all ...string) (out []netip.Prefix) {
	for _, p := range all {
		out = append(out, netip.MustParsePrefix(p))
	}
	return out
}

// IP judges an address that a connection is about to be made to.
func IP(ip netip.Addr) error {
	if ip.Zone() != "" {
		return PrivateIP
	}
	ip = ip.Unmap()
	if ip.Is4() {
		return within(ip, blocked)
	}
	if !ip.IsValid() {
		return PrivateIP
	}
	b := ip.As16()
	last := netip.AddrFrom4([4]byte(b[12:]))
	if nat64.Contains(ip) {
		return within(last, blocked)
	}
	if !global.Contains(ip) {
		return PrivateIP
	}
	if id := [4]byte(b[8:12]); id == isatapID || id == isatapID2 {
		if err := within(last, blocked); err != nil {
			return err
		}
	}
	return within(ip, special)
}

func within(ip netip.Addr, networks []netip.Prefix) error {
	for _, p := range networks {
		if p.Contains(ip) {
			return PrivateIP
		}
	}
	return nil
}
