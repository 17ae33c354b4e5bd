package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"strata.dev/bridge/proto/abi"
)

// version is what `version --json` prints.
type version struct {
	Version string            `json:"version"`
	ABI     string            `json:"abi"` // of the plugins
	Go      string            `json:"go"`
	OS      string            `json:"os"`
	Modules map[string]string `json:"modules"`
}

func versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "version", Short: "Print the versions of the host and of what it is made of", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			v := currentVersion()
			if !asJSON {
				_, err := fmt.Fprintf(c.OutOrStdout(), "strata-host %s (plugin ABI %s, %s, %s)\n", v.Version, v.ABI, v.Go, v.OS)
				return err
			}
			enc := json.NewEncoder(c.OutOrStdout())
			enc.SetIndent("", "  ")
			return enc.Encode(v)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON, with the version of each module")
	return c
}

func currentVersion() version {
	v := version{Version: "devel", ABI: abi.Version, Go: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH, Modules: map[string]string{}}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		v.Version = info.Main.Version
	}
	for _, m := range info.Deps {
		if m.Replace == nil {
			v.Modules[m.Path] = m.Version
		}
	}
	return v
}
