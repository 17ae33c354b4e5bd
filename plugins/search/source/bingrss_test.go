package source

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/abi"
)

// A feed without a whole item does not say that there is nothing.
func TestEmptyFeed(t *testing.T) {
	for name, body := range map[string]string{
		"empty":   `<?xml version="1.0"?><rss version="2.0"><channel><title>Bing: q</title></channel></rss>`,
		"cut":     `<rss><channel><item><title>A ti`,
		"nothing": "",
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := Parse(abi.SourceBingRSS, Response{Query: "q", Status: 200, Body: []byte(body)})
			want := abi.SearchParsed{Outcome: abi.OutcomeUnknown, ErrorMessage: "HTTP 200", Results: []abi.SearchResult{}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
