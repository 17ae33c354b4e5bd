package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
)

// Marks are what the gate remembers of a chat beyond its own life: an empty
// record whose name says what, when and of which chat. Being in the store, they
// outlive an instance that broke; nothing else makes one.
const (
	markWeb        = "web-"  // the person allowed web access
	markUnattended = "task-" // nobody is there to ask
)

// maxMarks is how many of a kind are kept; the oldest go.
const maxMarks = 500

// marked tells whether a chat has a mark. Without a store none has.
func marked(t *sdk.Task, kind, root string) (bool, error) {
	names, err := listed(t, kind)
	for _, name := range names {
		if strings.HasSuffix(name, "-"+chatName(root)) {
			return true, nil
		}
	}
	return false, err
}

// mark remembers something of a chat.
func mark(t *sdk.Task, kind, root string) error {
	names, err := listed(t, kind)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "-"+chatName(root)) {
			return nil
		}
	}
	for len(names) >= maxMarks {
		if err := sdk.StoreDelete(t, names[0]); err != nil {
			return err
		}
		names = names[1:]
	}
	return sdk.StorePut(t, fmt.Sprintf("%s%012x-%s", kind, t.Now().UnixMilli(), chatName(root)), nil)
}

// chatName is a root session's id as a part of a record's name.
func chatName(root string) string {
	sum := sha256.Sum256([]byte(root))
	return hex.EncodeToString(sum[:16])
}

// listed names the records of a kind, the oldest first; none without a store.
func listed(t *sdk.Task, kind string) ([]string, error) {
	names, err := sdk.StoreList(t, kind)
	if sdk.Code(err) == abi.CodeRefused { // this host offers no store
		return nil, nil
	}
	return names, err
}
