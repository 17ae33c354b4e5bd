package models

import (
	"strings"

	"strata.dev/bridge/proto/abi"
)

// known is a route with the names that it has.
type known struct {
	abi.ModelRoute
	names []folded // those of the model first
	own   int      // how many of them name no other model
}

// knownRoutes gives the routes with their names folded, each one once.
func knownRoutes(routes []abi.ModelRoute) []*known {
	out := make([]*known, 0, len(routes))
	seen := map[string]bool{}
	for _, route := range routes {
		r := &known{ModelRoute: route}
		if r.ID == "" || seen[key(r)] {
			continue
		}
		seen[key(r)] = true
		if r.Name == "" {
			r.Name = r.ID
		}
		if r.Connection == "" {
			r.Connection = r.Provider
		}
		groups := []folded{fold(r.Connection), fold(r.Provider)}
		for _, model := range []folded{fold(r.Name), fold(r.ID)} {
			r.names = append(r.names, model)
			for _, of := range groups {
				r.names = append(r.names, of.beside(model), model.beside(of))
			}
		}
		r.names = append(r.names, fold(r.Name+" "+key(r)), fold(key(r))) // as in label
		r.own = len(r.names)
		if r.names = append(r.names, groups...); r.Local {
			r.names = append(r.names, here...)
		}
		out = append(out, r)
	}
	return out
}

// here are words for the models of this computer, in the languages of the app.
var here = func() (words []folded) {
	for _, w := range []string{"local", "lokal", "locale", "ローカル", "ローカルモデル", "本地", "本地模型"} {
		words = append(words, folded{w, w, w})
	}
	return words
}()

// key is what a route is always found by.
func key(r *known) string { return r.Provider + "/" + r.ID }

// Resolve finds the model that a query means. Nothing but a name that is exactly and
// solely one route's is a match.
func Resolve(q abi.ModelQuery) abi.ModelAnswer {
	routes := knownRoutes(q.Routes)
	fits := exact(strings.TrimSpace(q.Query), routes)
	switch {
	case len(fits) == 1:
		return match(fits[0], q.Effort)
	case len(fits) > 1:
		return answer(abi.ModelAmbiguous, fits, ambiguous(q.Query, fits))
	}
	if fits = guess(fold(q.Query), routes); len(fits) > 0 {
		return answer(abi.ModelSuggest, fits, suggest(fits))
	}
	return answer(abi.ModelNone, nil, none(q.Query, routes))
}

func answer(kind string, fits []*known, message string) abi.ModelAnswer {
	out := abi.ModelAnswer{Kind: kind, Candidates: []abi.ModelRoute{}, Message: message}
	for _, r := range fits {
		out.Candidates = append(out.Candidates, r.ModelRoute)
	}
	return out
}

func match(r *known, effort string) abi.ModelAnswer {
	out := answer(abi.ModelMatch, []*known{r}, label(r))
	out.Route = &r.ModelRoute
	wanted := fold(effort)[joined]
	for _, level := range r.Efforts {
		if wanted != "" && fold(level)[joined] == wanted {
			out.Effort = level
			break
		}
	}
	return out
}

// exact gives the routes that a name is one of, from the strictest reading of it that
// has any. Letter case decides between a route's key and other names alone: how a
// model writes what a person said is chance.
func exact(query string, routes []*known) []*known {
	if query == "" {
		return nil
	}
	if fits := where(routes, func(r *known) bool { return key(r) == query }); len(fits) > 0 {
		return fits
	}
	for _, f := range readings(fold(query)) {
		for _, depth := range []int{plain, joined} {
			if fits := where(routes, func(r *known) bool { return r.named(f[depth], depth) }); len(fits) > 0 {
				return fits
			}
		}
	}
	return nil
}

func where(routes []*known, fits func(*known) bool) (out []*known) {
	for _, r := range routes {
		if fits(r) {
			out = append(out, r)
		}
	}
	return out
}

// named tells whether a text is, at a depth, one of the route's names: its id, its
// name, the connection's or provider's with either, or what stands for all routes of
// a connection or of this computer.
func (r *known) named(text string, depth int) bool {
	for _, name := range r.names {
		if text != "" && name[depth] == text {
			return true
		}
	}
	return false
}

// readings gives a query as it stands, and without the words that people put around
// a name: "the model X", "X via OpenRouter".
func readings(f folded) []folded {
	words := strings.Fields(f[plain])
	var kept []string
	for i, w := range words {
		last := i == len(words)-1
		inside := i > 0 && !last
		switch w {
		case "the", "a", "my":
			if !last {
				continue
			}
		case "model", "named", "called":
			continue
		case "via", "on", "at", "from", "by", "through":
			if inside {
				continue
			}
		}
		kept = append(kept, w)
	}
	if len(kept) == 0 || len(kept) == len(words) {
		return []folded{f}
	}
	return []folded{f, fold(strings.Join(kept, " "))}
}
