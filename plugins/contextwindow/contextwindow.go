// Package contextwindow is the context plugin: how full a chat really is, how long a
// reply may be, which messages are summarized when, and in what pieces a history is
// summarized that fits into no request. The arithmetic is proto/budget's.
//
// It sees no text of a chat. The shim tells it lengths and prices, and carries out what
// it decides.
package contextwindow

import (
	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
)

// Plugin is the plugin `context`.
var Plugin = sdk.Plugin{Name: "context", New: fresh}

// maxSessions is how many sessions an instance keeps; the one that was asked about
// longest ago goes first, and is fed again when it is asked about.
const maxSessions = 256

// meter is one instance.
type meter struct {
	sessions map[string]*session
	tick     int64
	// short are routes that took no longer reply than they declare.
	short map[string]bool
}

func fresh() sdk.Instance {
	m := &meter{sessions: map[string]*session{}, short: map[string]bool{}}
	return sdk.Instance{Ops: sdk.Ops{
		"observe":   sdk.Op(m.observe),
		"measure":   sdk.Op(m.measure),
		"cap":       sdk.Op(m.cap),
		"refused":   sdk.Op(m.refused),
		"select":    sdk.Op(m.choose),
		"summarize": sdk.OpBody(m.summarize),
		"arith":     sdk.Op(arith),
	}}
}

// find gives the session that stands at the cursor, or nil.
func (m *meter) find(id string, cursor int64) *session {
	s := m.sessions[id]
	if s == nil || s.cursor != cursor {
		return nil
	}
	m.tick++
	s.used = m.tick
	return s
}

// open gives the session of that name, empty.
func (m *meter) open(id string) *session {
	if len(m.sessions) >= maxSessions && m.sessions[id] == nil {
		oldest := ""
		for name, s := range m.sessions {
			if oldest == "" || s.used < m.sessions[oldest].used {
				oldest = name
			}
		}
		delete(m.sessions, oldest)
	}
	m.tick++
	s := &session{used: m.tick}
	m.sessions[id] = s
	return s
}

func (m *meter) observe(_ *sdk.Task, in abi.ContextObserve) (abi.ContextObserved, error) {
	if in.Close {
		delete(m.sessions, in.Session)
		return abi.ContextObserved{}, nil
	}
	s := m.find(in.Session, in.Cursor)
	if in.Cursor == 0 {
		s = m.open(in.Session)
	}
	if s == nil {
		at := int64(0)
		if have := m.sessions[in.Session]; have != nil {
			at = have.cursor
		}
		return abi.ContextObserved{Cursor: at, Stale: true}, nil
	}
	for _, e := range in.Events {
		if e.Seq < s.cursor || !s.apply(e) { // it is fed anew, from the start
			delete(m.sessions, in.Session)
			return abi.ContextObserved{Stale: true}, nil
		}
	}
	return abi.ContextObserved{Cursor: s.cursor}, nil
}

func (m *meter) measure(_ *sdk.Task, in abi.ContextMeasure) (abi.ContextMeasured, error) {
	s := m.find(in.Session, in.Cursor)
	if s == nil || in.Surface > 0 && in.Surface != s.surface {
		at := int64(0)
		if have := m.sessions[in.Session]; have != nil && s == nil {
			at = have.cursor
		}
		delete(m.sessions, in.Session)
		return abi.ContextMeasured{Stale: true, Cursor: at}, nil
	}
	return s.measured(in.Routed), nil
}
