package conformance

import (
	"context"
	"log/slog"
	"strings"
)

// logEvents turns what a guest logs into events; the engine's own records and
// the guest's stderr are not part of the wire.
type logEvents struct {
	emit     func(Event)
	instance string
}

var _ slog.Handler = logEvents{}

func (l logEvents) Enabled(context.Context, slog.Level) bool { return true }

func (l logEvents) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "from" && a.Value.String() == "log" {
			l.emit(Event{On: "log", Instance: l.instance, Level: strings.ToLower(r.Level.String()), Message: r.Message})
		}
		return true
	})
	return nil
}

func (l logEvents) WithAttrs([]slog.Attr) slog.Handler { return l }
func (l logEvents) WithGroup(string) slog.Handler      { return l }
