package bridge

import (
	"context"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// create makes the chat a session that joined our preset. Without it the agent would
// run with no tools and no warning. One that an earlier message of the chat got, and
// whose preparation failed behind that, is used.
func (r *active) create(ctx context.Context, l *link, cwd string) (sessionLog, *chat.Error) {
	if log := r.c.log; log.link == l && log.cwd == cwd && log.last >= 0 && r.c.unmapped {
		r.c.log = sessionLog{} // a step that is broken off leaves nothing half read behind
		return log, nil
	}
	id, err := l.gw.CreateSession(ctx, cwd, r.c.b.o.Preset)
	switch {
	case gateway.IsCode(err, gateway.CodeNotJoined), gateway.IsCode(err, gateway.CodePresetNotFound), gateway.IsCode(err, gateway.CodePresetConflict):
		return sessionLog{}, offering(say.Error(chat.CodeAgentUnavailable, err.Error(), say.AgentBare), project.ActionRetry)
	case err != nil:
		return sessionLog{}, r.failure(ctx, l, err)
	}
	r.c.unmapped = true
	return newSessionLog(l, id, cwd), nil
}

// keep keeps which session is the chat's, and on which model it goes on.
func (r *active) keep() *chat.Error {
	var err error
	if r.mapped != nil {
		r.mapped.Model = r.route
		err = r.c.b.records.put(*r.mapped)
	} else {
		err = r.keepRoute()
	}
	if err != nil {
		return offering(say.Error(chat.CodeInternal, err.Error(), say.Internal), project.ActionRetry)
	}
	r.c.unmapped = false
	return nil
}

// keepRoute keeps on which model the chat goes on.
func (r *active) keepRoute() error {
	if rec, known := r.c.b.records.get(r.c.id); !known || rec.Model == r.route {
		return nil
	}
	return r.c.b.records.change(r.c.id, func(c *record) { c.Model = r.route })
}
