package main

import (
	"strings"

	"strata.dev/bridge/host/internal/say"
)

// language is what the terminal speaks, as POSIX has it: LC_ALL, else LC_MESSAGES,
// else LANG, such as de_AT.UTF-8.
func language(getenv func(string) string) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := getenv(name); v != "" {
			tag, _, _ := strings.Cut(v, ".")
			tag, _, _ = strings.Cut(tag, "@")
			return say.Choose(strings.ReplaceAll(tag, "_", "-"))
		}
	}
	return say.Choose()
}
