package talks

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Outcome is what came of a talk.
type Outcome struct {
	Talk     string
	Model    string
	Requests int      // to the model
	Refused  int      // of these, for their length
	Twice    int      // of these, sent before as they are
	Helped   int      // actions that the person took
	Lost     []string // messages that got no answer
}

// Table writes outcomes, a line each, and their sum.
func Table(title string, all []Outcome) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\nchat\tmodel\trequests\trefused\tshare\ttwice\tactions\tgoes on\n", title)
	sum, stuck := Sum(all), 0
	for _, o := range all {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%d\t%d\t%s\n", o.Talk, o.Model, o.Requests, o.Refused, share(o), o.Twice, o.Helped, yes(len(o.Lost) == 0))
		if len(o.Lost) > 0 {
			stuck++
		}
	}
	fmt.Fprintf(w, "all\t\t%d\t%d\t%s\t%d\t%d\t%d of %d\n", sum.Requests, sum.Refused, share(sum), sum.Twice, sum.Helped, len(all)-stuck, len(all))
	_ = w.Flush() // into memory
	return b.String()
}

// Sum is what came of all talks.
func Sum(all []Outcome) (sum Outcome) {
	for _, o := range all {
		sum.Requests, sum.Refused, sum.Twice, sum.Helped = sum.Requests+o.Requests, sum.Refused+o.Refused, sum.Twice+o.Twice, sum.Helped+o.Helped
		sum.Lost = append(sum.Lost, o.Lost...)
	}
	return sum
}

func share(o Outcome) string {
	if o.Requests == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(o.Refused)/float64(o.Requests))
}

func yes(ok bool) string {
	if ok {
		return "yes"
	}
	return "NO"
}
