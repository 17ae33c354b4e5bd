package profile

import (
	"os"
	"path/filepath"

	"strata.dev/bridge/host/internal/harness"
)

// readPackage reads a file of one of the Harness's own packages ("dsh-web-app"). They are
// beside the component's in each layout of an installation, behind its link too, or in it.
func readPackage(c harness.Component, name string, file ...string) ([]byte, error) {
	real, err := filepath.EvalSymlinks(c.Dir)
	if err != nil {
		return nil, err
	}
	var data []byte
	for _, dir := range []string{filepath.Dir(real), filepath.Join(real, "node_modules", "@deepseek-ai")} {
		if data, err = os.ReadFile(filepath.Join(append([]string{dir, name}, file...)...)); err == nil {
			break
		}
	}
	return data, err
}
