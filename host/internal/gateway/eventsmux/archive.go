package eventsmux

import (
	"context"

	"strata.dev/bridge/host/internal/gateway"
)

var _ gateway.Archiver = (*Gateway)(nil)

// Archive hides a session from the Harness's own lists.
func (g *Gateway) Archive(ctx context.Context, sessionID string) error {
	return g.call(ctx, "workspace.archiveSession", sessionArg{sessionID}, nil)
}
