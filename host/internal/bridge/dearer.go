package bridge

import "strata.dev/bridge/proto/chat"

// dearer gives the shown name of a helper's route where it costs more than that of the
// agent which started the helper; "" where it does not, or nobody knows.
func dearer(routes []chat.Route, helper, parent string) string {
	var of, than *chat.Route
	for i, r := range routes {
		if r.ID == helper {
			of = &routes[i]
		}
		if r.ID == parent {
			than = &routes[i]
		}
	}
	if of == nil || than == nil {
		return ""
	}
	cost, known := price(*of)
	base, also := price(*than)
	switch {
	case known && also && cost > base, !known && than.Local: // whoever serves it does not do it for nothing
		return of.Name
	}
	return ""
}

// price is what a million tokens cost of which a quarter is written, as agents use them.
func price(r chat.Route) (dollars float64, known bool) {
	switch {
	case r.Price != nil:
		return (3*r.Price.Input + r.Price.Output) / 4, true
	case r.Local:
		return 0, true
	}
	return 0, false
}

// routeOf is the route of a session of the run: the chat's own, or a helper's.
func (r *active) routeOf(session string) string {
	if ch := r.children[session]; ch != nil {
		return ch.view.Route()
	}
	return r.route
}
