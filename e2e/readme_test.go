package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"strata.dev/bridge/e2e/kit"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// Every command of the README runs: those of make as far as a dry run shows that
// the target is there and takes what is given to it, the others for real.
func TestReadmeCommandsRun(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(kit.Root(), "README.md"))
	must(t, err)
	made, ran := 0, 0
	for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
		if strings.HasPrefix(block[1], "make ") {
			for line := range strings.Lines(block[1]) {
				made++
				command, _, _ := strings.Cut(strings.TrimSpace(line), "#")
				plan := shellLine(t, strings.Replace(command, "make ", "make -n ", 1))
				for _, given := range regexp.MustCompile(`(?:BASE_URL|MODEL)=(\S+)`).FindAllStringSubmatch(command, -1) {
					if !strings.Contains(plan, given[1]) {
						t.Errorf("%s: %s reaches no program:\n%s", command, given[1], plan)
					}
				}
			}
			continue
		}
		ran++
		var decision struct{ Decision, Rule string }
		if out := shellLine(t, block[1]); json.Unmarshal([]byte(out), &decision) != nil || decision.Decision != "ask" || decision.Rule == "" {
			t.Errorf("%s answers %s", block[1], out)
		}
	}
	if made != 3 || ran != 1 {
		t.Errorf("%d commands of make and %d others were tried; the README has changed, change this test with it", made, ran)
	}
}

func shellLine(t *testing.T, line string) string {
	t.Helper()
	kit.Wasm(t)
	command := exec.Command("sh", "-c", line)
	command.Dir = kit.Root()
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}
