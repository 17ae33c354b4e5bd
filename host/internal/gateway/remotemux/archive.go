package remotemux

import (
	"context"

	"strata.dev/bridge/host/internal/gateway"
)

var _ gateway.Archiver = (*Gateway)(nil)

// Archive hides a session from the Harness's own lists; no turn of it runs any more.
func (g *Gateway) Archive(ctx context.Context, sessionID string) error {
	return g.call(ctx, "workspace/archiveSession", wrapped{sessionArg{sessionID}}, nil)
}
