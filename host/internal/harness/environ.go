package harness

import (
	"slices"
	"strings"
)

// The variables that the Harness's environment has beside the kept ones.
const (
	envHome      = "DSH_HOME"
	envTelemetry = "DSH_TELEMETRY_DISABLED"
	// EnvMarker marks a launch. Tool processes inherit it and are found by it.
	EnvMarker = "STRATA_LAUNCH"
	// EnvRouteKey holds the key proxy's token for this launch. The Harness keeps
	// names with KEY out of the agent's shell.
	EnvRouteKey = "STRATA_ROUTE_KEY"
	// EnvSearchKey holds the key proxy's token for the search service.
	EnvSearchKey = "STRATA_SEARCH_KEY"
	// EnvServerKey holds its token for MCP servers, and begins the names of the variables
	// that hold what MCP servers which are programs get.
	EnvServerKey = "STRATA_MCP_KEY"
)

// kept are the variables that pass from the host to the Harness. Everything else
// stays behind: the host's environment may hold keys, and variables such as
// NODE_OPTIONS or DSH_PERMISSION_MODE would change what the Harness is.
var kept = map[string]bool{
	"PATH": true, "HOME": true, "LANG": true, "TMPDIR": true, "TZ": true,
	// The categories of locale(7), by name: others may begin like them.
	"LC_ALL": true, "LC_ADDRESS": true, "LC_COLLATE": true, "LC_CTYPE": true, "LC_IDENTIFICATION": true, "LC_MEASUREMENT": true, "LC_MESSAGES": true,
	"LC_MONETARY": true, "LC_NAME": true, "LC_NUMERIC": true, "LC_PAPER": true, "LC_TELEPHONE": true, "LC_TIME": true,
	// Windows programs do not run without these.
	"SYSTEMROOT": true, "SYSTEMDRIVE": true, "WINDIR": true, "COMSPEC": true, "PATHEXT": true,
	"USERPROFILE": true, "APPDATA": true, "LOCALAPPDATA": true, "TEMP": true, "TMP": true,
}

// environ gives the Harness's environment from the host's, in sorted order. The
// launch secret is not in it: every program that the agent starts can read
// /proc/<pid>/environ.
func environ(host []string, home, marker string, secrets map[string]string) []string {
	var out []string
	for _, entry := range host {
		name, _, ok := strings.Cut(entry, "=")
		if ok && kept[strings.ToUpper(name)] {
			out = append(out, entry)
		}
	}
	out = append(out, envHome+"="+home, envTelemetry+"=1", EnvMarker+"="+marker)
	for name, value := range secrets {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}
