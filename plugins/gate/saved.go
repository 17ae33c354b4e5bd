package gate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"strata.dev/bridge/plugins/gate/journal"
	"strata.dev/bridge/plugins/gate/permit"
	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
)

// saved reads the permissions that have not expired, the oldest first. The store
// is asked each time: a host may take one back at any moment. What cannot be read
// is no permission.
func saved(t *sdk.Task) ([]abi.GatePermission, error) {
	names, err := listed(t, abi.PermissionRecord)
	if err != nil {
		return nil, err
	}
	now := t.Now().UnixMilli()
	var out []abi.GatePermission
	for _, name := range names {
		record, err := sdk.StoreGet(t, name)
		if sdk.Code(err) == abi.CodeNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		var p abi.GatePermission
		switch {
		case json.Unmarshal(record, &p) != nil || abi.PermissionRecord+p.ID != name:
			t.Logf(sdk.Warn, "the saved permission %s cannot be read and is left out", name)
		case p.Expires != 0 && p.Expires <= now:
			if err := sdk.StoreDelete(t, name); err != nil {
				return nil, err
			}
		default:
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b abi.GatePermission) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), strings.Compare(a.ID, b.ID))
	})
	return out, nil
}

// holding are the saved permissions that hold for a call: given in its folder,
// for all chats or for its own.
func holding(t *sdk.Task, call abi.GateCall) ([]abi.GatePermission, error) {
	all, err := saved(t)
	return slices.DeleteFunc(all, func(p abi.GatePermission) bool {
		here := p.Folder == call.Workspace && p.Folder != ""
		return !here || p.Scope != abi.ScopeAlways && !(p.Scope == abi.ScopeChat && p.Root == call.Root && p.Root != "")
	}), err
}

// remember saves one permission for each line of a pattern.
func remember(t *sdk.Task, in abi.GateRemember) (abi.GatePermissions, error) {
	out := abi.GatePermissions{Permissions: []abi.GatePermission{}}
	tool, lines := permit.Tool(in.Tool), linesOf(in.Pattern)
	if in.Scope != abi.ScopeAlways && in.Scope != abi.ScopeChat || in.Scope == abi.ScopeChat && in.Root == "" || in.Folder == "" || len(lines) == 0 {
		return out, sdk.Errorf(abi.CodeBadInput, "a permission needs a tool, a pattern, a folder, and the scope always, or chat with its root")
	}
	for _, line := range lines {
		if _, bad := permit.Parse(tool, line); !bad.None() {
			return out, sdk.Errorf(abi.CodeBadInput, "%s", bad)
		}
		if journal.Redact(line) != line {
			return out, sdk.Errorf(abi.CodeBadInput, reason.HoldsSecret)
		}
	}
	old, err := saved(t)
	if err != nil {
		return out, err
	}
	if len(old)+len(lines) > abi.MaxPermissions {
		return out, sdk.Errorf(abi.CodeBadInput, "%s", reason.Of(reason.TooManySaved, "max", strconv.Itoa(len(old))))
	}
	for _, line := range lines {
		p := abi.GatePermission{
			Tool: tool, Pattern: line, Scope: in.Scope, Folder: in.Folder, Created: t.Now().UnixMilli(), Expires: in.Expires,
			ID: fmt.Sprintf("%016x", t.Random()),
		}
		if in.Scope == abi.ScopeChat {
			p.Root = in.Root
		}
		record, err := json.Marshal(p)
		if err != nil {
			return out, fmt.Errorf("encoding a permission: %w", err)
		}
		if err := sdk.StorePut(t, abi.PermissionRecord+p.ID, record); err != nil {
			return out, err
		}
		out.Permissions = append(out.Permissions, p)
	}
	return out, nil
}

// forget takes a permission back.
func forget(t *sdk.Task, in abi.GateForget) (struct{}, error) {
	names, err := listed(t, abi.PermissionRecord)
	if err != nil {
		return struct{}{}, err
	}
	name := abi.PermissionRecord + in.ID
	if !slices.Contains(names, name) {
		return struct{}{}, sdk.Errorf(abi.CodeNotFound, "There is no such saved permission.")
	}
	return struct{}{}, sdk.StoreDelete(t, name)
}
