package httpapi

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/permissions"
	"strata.dev/bridge/host/internal/redact"
)

func TestPermissionRoutes(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"permission-00000000000000a1": `{"id":"00000000000000a1","tool":"bash","pattern":"make the-real-key","scope":"always","folder":"/w","createdAt":1}`,
		"decisions-000001":            `{"time":1,"root":"r","session":"r","call":"c","tool":"bash","decision":"allow","by":"rule","rule":"bash:ls"}` + "\n" + `{"time":2,"root":"x","session":"x","call":"d","tool":"write","decision":"deny","by":"person","rule":"tool:write","outcome":"rejected"}` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	addr := serve(t, Options{Agent: &agent{}, Permissions: permissions.Open(dir), Redact: redact.New("the-real-key")})
	const (
		first  = `{"time":1,"sessionId":"r","toolId":"c","tool":"bash","decision":"allow","by":"rule","rule":"bash:ls"}`
		second = `{"time":2,"sessionId":"x","toolId":"d","tool":"write","decision":"deny","by":"person","rule":"tool:write","outcome":"rejected"}`
	)
	for _, tt := range []struct {
		method, path string
		status       int
		want         string // "" is a refusal
	}{
		{"GET", "/api/permissions", 200, `{"permissions":[{"id":"00000000000000a1","tool":"bash","pattern":"make [redacted]","scope":"always","folder":"/w","createdAt":1}]}`},
		{"GET", "/api/decisions", 200, `{"decisions":[` + second + `,` + first + `]}`},
		{"GET", "/api/decisions?limit=1", 200, `{"decisions":[` + second + `],"before":2}`},
		{"GET", "/api/decisions?before=2&limit=1", 200, `{"decisions":[` + first + `]}`},
		{"GET", "/api/decisions?sessionId=r", 200, `{"decisions":[` + first + `]}`},
		{"GET", "/api/decisions?limit=9999999999999999", 200, `{"decisions":[` + second + `,` + first + `]}`},
		{"GET", "/api/decisions?limit=-1", 400, ""},
		{"GET", "/api/decisions?before=x", 400, ""},
		{"DELETE", "/api/permissions/..%2Fdecisions-000001", 404, ""},
		{"DELETE", "/api/permissions/00000000000000a2", 404, ""},
		{"DELETE", "/api/permissions/00000000000000a1", 200, `{}`},
		{"DELETE", "/api/permissions/00000000000000a1", 404, ""},
		{"DELETE", "/api/permissions", 405, ""},
		{"GET", "/api/permissions", 200, `{"permissions":[]}`},
	} {
		res := ask(t, addr, tt.method, tt.path, "")
		b, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != tt.status {
			t.Errorf("%s %s: %d %v %s", tt.method, tt.path, res.StatusCode, err, b)
		}
		if tt.want == "" {
			continue
		}
		if d := cmp.Diff(tt.want+"\n", string(b)); d != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.method, tt.path, d)
		}
	}
	for _, path := range []string{"/api/permissions", "/api/decisions"} {
		if res := ask(t, addr, "GET", path, "", "Authorization", ""); res.StatusCode != 401 {
			t.Errorf("%s without a token: %d", path, res.StatusCode)
		}
	}
}
