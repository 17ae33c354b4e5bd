// Package permissions reads what the gate keeps in its store: the permissions
// that a person gave in advance, and the decision log. It needs no running
// Harness, and what it takes back no longer holds from the gate's next question
// on: the gate reads its store anew each time.
package permissions

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
)

// Store is the gate's folder in the plugins' store. It may be used from many
// goroutines.
type Store struct {
	dir string
	now func() time.Time
}

// Open gives the Store in dir, which need not be there yet.
func Open(dir string) *Store { return &Store{dir: dir, now: time.Now} }

var recordID = regexp.MustCompile(`^[0-9a-f]{16}$`)

// List gives the permissions that hold, the oldest first. A record that cannot
// be read is left out, as the gate leaves it out.
func (s *Store) List() (chat.PermissionList, error) {
	out := chat.PermissionList{Permissions: []chat.Permission{}}
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return out, fmt.Errorf("listing permissions: %w", err)
	}
	now := s.now().UnixMilli()
	for _, e := range entries {
		id, ok := strings.CutPrefix(e.Name(), abi.PermissionRecord)
		if !ok || !e.Type().IsRegular() || !recordID.MatchString(id) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(s.dir, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // taken back just now
		}
		if err != nil {
			return out, fmt.Errorf("reading a permission: %w", err)
		}
		var p abi.GatePermission
		if json.Unmarshal(data, &p) != nil || p.ID != id || p.Expires != 0 && p.Expires <= now {
			continue
		}
		out.Permissions = append(out.Permissions, chat.Permission{
			ID: p.ID, Tool: p.Tool, Pattern: p.Pattern, Scope: p.Scope, SessionID: p.Root, Folder: p.Folder,
			CreatedAt: p.Created, ExpiresAt: p.Expires,
		})
	}
	slices.SortFunc(out.Permissions, func(a, b chat.Permission) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	return out, nil
}

// Revoke takes a permission back. Errors: unknown-permission.
func (s *Store) Revoke(id string) error {
	if !recordID.MatchString(id) {
		return say.Error(chat.CodeUnknownPermission, "", say.UnknownPermission)
	}
	err := os.Remove(filepath.Join(s.dir, abi.PermissionRecord+id))
	if errors.Is(err, fs.ErrNotExist) {
		return say.Error(chat.CodeUnknownPermission, id, say.UnknownPermission)
	}
	if err != nil {
		return fmt.Errorf("taking a permission back: %w", err)
	}
	return nil
}
