package eventsmux

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
)

// What happens between the moment that the log was read at and the moment that its
// answer is here.
func TestWhileTheLogIsRead(t *testing.T) {
	const short = `{"events":[{"event":{"type":"a","seq":0}}],"projections":{"asOfSeq":0,"values":{"title":"old"}}}`
	const long = `{"events":[{"event":{"type":"a","seq":0}},{"event":{"type":"b","seq":1}}],"projections":{"asOfSeq":1,"values":{"title":"new"}}}`
	tests := []struct {
		name      string
		meanwhile func(*stream)
		reads     int
		want      []string
	}{
		{"nothing", func(*stream) {}, 1, []string{"a 0", `title "old" 0`}},
		{"it is said to be as long as it is", func(s *stream) { s.reaches(0) }, 1, []string{"a 0", `title "old" 0`}},
		{"it is said to be longer", func(s *stream) { s.reaches(1) }, 2, []string{"a 0", "b 1", `title "new" 1`}},
		{"the connection was made again", (*stream).reconnected, 2, []string{"a 0", `title "old" 0`, "b 1", `title "new" 1`}},
		{"a projection came that was not queued", func(s *stream) {
			s.reaches(0)
			s.push(gateway.Item{Projection: &gateway.Projection{Key: "title", Value: json.RawMessage(`"new"`), Seq: 1}}, 1)
		}, 2, []string{"a 0", `title "old" 0`, "b 1", `title "new" 1`}},
		{"a projection came", func(s *stream) {
			s.push(gateway.Item{Projection: &gateway.Projection{Key: "title", Value: json.RawMessage(`"new"`), Seq: 1}}, 1)
		}, 1, []string{"a 0", `title "old" 0`, `title "new" 1`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s *stream
			reads := 0
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var m struct{ RPCID string }
				if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
					t.Error(err)
				}
				value := long
				if reads++; reads == 1 {
					value = short
					tt.meanwhile(s)
				}
				fmt.Fprintf(w, `{"rpcId":%q,"result":{"ok":true,"value":%s}}`, m.RPCID, value)
			}))
			defer web.Close()
			g := unconnected(t, web.URL)
			g.opts.Rand = func() float64 { return 0 }
			g.state.Set(true, nil, nil)
			s = newStream(g, "s", -1)
			if err := s.catchUp(t.Context()); err != nil {
				t.Fatal(err)
			}
			var got []string
			for range tt.want {
				item, err := s.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if e := item.Event; e != nil {
					got = append(got, fmt.Sprint(e.Type, " ", e.Seq))
				} else {
					p := item.Projection
					got = append(got, fmt.Sprintf("%s %s %d", p.Key, p.Value, p.Seq))
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || reads != tt.reads {
				t.Errorf("read %d times, want %d; items (-want +got):\n%s", reads, tt.reads, diff)
			}
		})
	}
}
