package gate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/proto/abi"
)

// diff reads what lies in two folders, also through links: facts names its paths
// as files, and one that turns out to be a folder asks.
func TestDiffOfFolders(t *testing.T) {
	call := commanded("diff -u a.txt sub/b.txt")
	want := abi.GateFacts{
		Paths: []string{"/home/u/repo", "/home/u/repo/a.txt", "/home/u/repo/sub/b.txt"},
		Files: []string{"/home/u/repo/a.txt", "/home/u/repo/sub/b.txt"},
	}
	if diff := cmp.Diff(want, Facts(call, abi.GateConfig{})); diff != "" {
		t.Error(diff)
	}
	call.RealPaths = map[string]string{"/home/u/repo": "/home/u/repo", "/home/u/repo/a.txt": "/home/u/repo/a.txt", "/home/u/repo/sub/b.txt": "/home/u/repo/sub/b.txt"}
	if got := Decide(call, abi.GateConfig{}); got.Decision != abi.Allow {
		t.Errorf("two files: %+v", got)
	}
	call.RealPaths["/home/u/repo/a.txt"] = ""
	if got := Decide(call, abi.GateConfig{}); got.Decision != abi.Ask || got.Key != reason.Unknown {
		t.Errorf("a folder: %+v", got)
	}
}
