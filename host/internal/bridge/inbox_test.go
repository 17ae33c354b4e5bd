package bridge

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/dsh"
)

// TestInbox follows what waits in the recorded sessions that queue and cancel.
func TestInbox(t *testing.T) {
	for _, tt := range []struct {
		file string
		want map[int64][]string // by seq: requests that wait after it
	}{
		{"cancel-with-queue-mux", map[int64][]string{3: {"rpc-3"}, 5: {}, 23: {"rpc-4"}, 26: {"rpc-4"}, 27: {"rpc-4", "rpc-7"}, 29: {"rpc-7"}, 42: {}}},
		{"turn-bash-mux", map[int64][]string{2: {}, 3: {"rpc-6"}, 5: {}}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			raw, err := os.ReadFile("../../../proto/dsh/testdata/frames-rc8/" + tt.file + ".json")
			if err != nil {
				t.Fatal(err)
			}
			var frames []struct {
				Payload struct {
					Event *dsh.Event `json:"event"`
				} `json:"payload"`
			}
			if err := json.Unmarshal(raw, &frames); err != nil {
				t.Fatal(err)
			}
			var in inbox
			got := map[int64][]string{}
			for _, f := range frames {
				if f.Payload.Event == nil {
					continue
				}
				e := *f.Payload.Event
				in.apply(e)
				if _, asked := tt.want[e.Seq]; !asked {
					continue
				}
				got[e.Seq] = []string{}
				for _, m := range in.lists["next-turn"] {
					got[e.Seq] = append(got[e.Seq], m.Source.RPCID)
					if found, ok := in.find(m.Source.RPCID); !ok || found.ID != m.ID {
						t.Errorf("%s is not found", m.Source.RPCID)
					}
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
	var in inbox // what does not fit is taken as far as it does
	in.apply(dsh.Event{Type: dsh.TypeInboxSpliced, Data: json.RawMessage(`{"target":"next-turn","start":9,"removedCount":7,"inserted":[{"id":"m","source":{"kind":"user","rpcId":"r"}}]}`)})
	in.apply(dsh.Event{Type: dsh.TypeInboxSpliced, Data: json.RawMessage(`{"target":"next-turn","start":-3,"removedCount":-1}`)})
	if _, ok := in.find("r"); !ok {
		t.Error("the message is lost")
	}
}
