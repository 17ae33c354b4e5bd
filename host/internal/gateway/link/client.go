package link

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/gorilla/websocket"

	"strata.dev/bridge/host/internal/gateway"
)

// Dialer opens connections; it is what a net.Dialer's DialContext is.
type Dialer func(ctx context.Context, network, address string) (net.Conn, error)

// NewClient makes the client of a Caller. It follows no redirect and asks no proxy.
func NewClient(dial Dialer) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext:         dial,
			MaxIdleConnsPerHost: 8,
			// Node closes an idle connection after 5 s; a request that meets that
			// moment would fail without having been read.
			IdleConnTimeout:    3 * time.Second,
			DisableCompression: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// During makes a Caller's During of the life of a Gateway.
func During(life context.Context) func(context.Context) (context.Context, context.CancelFunc) {
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancelCause(ctx)
		if life.Err() != nil {
			cancel(gateway.ErrClosed) // AfterFunc would do it a moment later
		}
		end := context.AfterFunc(life, func() { cancel(gateway.ErrClosed) })
		return ctx, func() { end(); cancel(nil) }
	}
}

// Upgrade opens a WebSocket at a ws: URL; path names it in errors, which are
// *gateway.Error for a refused secret (and, with strict, for any status that
// StatusError names), else wrap ErrLost.
func Upgrade(ctx context.Context, dial Dialer, url, path string, header http.Header, strict bool) (*websocket.Conn, error) {
	// The dialer watches the context's deadline only, not its end.
	unwatch := func() bool { return true }
	d := websocket.Dialer{
		ReadBufferSize: 64 << 10,
		NetDialContext: func(dialing context.Context, network, address string) (net.Conn, error) {
			c, err := dial(dialing, network, address)
			if err == nil {
				unwatch = context.AfterFunc(ctx, func() { _ = c.Close() })
			}
			return c, err
		},
	}
	conn, res, err := d.DialContext(ctx, url, header)
	if watched := unwatch(); err == nil && !watched {
		_ = conn.Close()
		err = context.Cause(ctx)
	}
	switch {
	case err == nil:
		return conn, nil
	case res != nil && (strict || res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden):
		return nil, StatusError(path, res.StatusCode)
	default:
		return nil, Lost(ctx, path, err)
	}
}
