package harness

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"strata.dev/bridge/host/internal/say"
)

// Node is a program that can run the Harness.
type Node struct {
	Path    string // absolute
	Version string // such as "24.22.3"
}

// The oldest Node that the Harness runs on: the one its package.json names.
const (
	minNodeMajor = 22
	minNodeMinor = 19
)

const nodeTimeout = 20 * time.Second // for `node --version` on a busy machine

var nodeVersion = regexp.MustCompile(`^v(\d+)\.(\d+)\.\d+`)

// FindNode takes the program at path, else `node` from PATH, and asks it for its
// version. No Node, one below 22.19, or one that does not run is an *Error of
// KindNode.
func FindNode(ctx context.Context, path string) (Node, error) {
	need := fmt.Sprintf("%d.%d", minNodeMajor, minNodeMinor)
	if path == "" {
		path = "node"
	}
	found, err := exec.LookPath(path)
	if err == nil {
		found, err = filepath.Abs(found)
	}
	if err != nil {
		return Node{}, newError(KindNode, err.Error(), say.Sentence(say.NodeMissing, "need", need))
	}
	asking, cancel := context.WithTimeout(ctx, nodeTimeout)
	defer cancel()
	cmd := exec.CommandContext(asking, found, "--version")
	cmd.Env = []string{} // NODE_OPTIONS must not change the answer
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return Node{}, fmt.Errorf("asking node for its version: %w", context.Cause(ctx))
	}
	version := strings.TrimSpace(string(out))
	match := nodeVersion.FindStringSubmatch(version)
	if err != nil || match == nil {
		if err == nil {
			err = errors.New("it answered " + strconv.Quote(version))
		}
		return Node{}, newError(KindNode, err.Error(), say.Sentence(say.NodeBroken, "path", found, "need", need))
	}
	node := Node{Path: found, Version: strings.TrimPrefix(version, "v")}
	if !enough(match[1], match[2]) {
		return Node{}, newError(KindNode, found,
			say.Sentence(say.NodeOld, "path", found, "version", node.Version, "need", need))
	}
	return node, nil
}

// enough compares decimal words of any length with the oldest version.
func enough(major, minor string) bool {
	a, errA := strconv.Atoi(major)
	b, errB := strconv.Atoi(minor)
	if errA != nil || errB != nil {
		return false
	}
	return a > minNodeMajor || a == minNodeMajor && b >= minNodeMinor
}
