package profile

import (
	"bytes"
	"math"

	"strata.dev/bridge/host/internal/harness"
	"strata.dev/bridge/proto/budget"
)

// usualSummary is how long a summary may be where there is room: what Harnesses that keep
// none for one ask for, in tokens (harness-rc8.md §7).
const usualSummary = 8192

// HasHeadroom tells whether the component's compaction engine keeps room for a summary
// (headroomTokens, from 0.1.2 on): the older one goes by the window alone, and refuses a
// setting that it does not know.
func HasHeadroom(c harness.Component) bool {
	data, err := readPackage(c, "dsh-compaction-basic", "lib", "index.js")
	return err == nil && bytes.Contains(data, []byte("headroomTokens"))
}

// policies are the compaction settings of the routes that the Harness's own do not fit
// (context.md §3): in a small window its room for a summary leaves none for a chat, which
// turns automatic compaction off, or the older engine waits until no reply has room. Nil
// where they fit all.
func policies(s Settings) list {
	var out list
	for _, p := range s.Providers {
		for _, m := range p.Models {
			window, output := int(m.ContextWindow), int(p.output(m))
			if window <= 0 {
				continue // it is what the Harness takes for granted, which its own fit
			}
			headroom := budget.Headroom(window, output)
			c, ok := budget.CompactionByRoom(window, output, headroom, 0)
			if !ok || c.Retain >= c.Threshold {
				continue // no room for any: a window that the instructions alone fill
			}
			policy := mapping{{"provider", p.ID}, {"model", m.ID}}
			switch {
			case s.Headroom && headroom < budget.StockHeadroom:
				policy = append(policy, field{"headroomTokens", int64(headroom)})
			case !s.Headroom && c.Threshold < budget.CompactionByRatio(window).Threshold:
				policy = append(policy, field{"thresholdRatio", math.Floor(1e4*float64(c.Threshold)/float64(window)) / 1e4},
					field{"retainTokens", int64(c.Retain)})
			default:
				continue
			}
			if headroom < usualSummary { // which is what it would have else; a reply's room is a summary's too
				policy = append(policy, field{"maxTokens", int64(min(usualSummary, window-c.Threshold))})
			}
			out = append(out, policy)
		}
	}
	return out
}
