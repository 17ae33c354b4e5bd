package effects

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/abi"
)

func commit(at abi.CommitExpect, events string) string {
	return fmt.Sprintf(`{"session":"s","expect":{"revision":%d,"generation":%d},"events":[%s]}`, at.Revision, at.Generation, events)
}

func TestSessionLog(t *testing.T) {
	var log SessionLog
	log.Open("s")
	all := log.Effects()
	conflict := outcome{Code: abi.CodeConflict, Message: abi.MsgConflict}
	missing := outcome{Code: abi.CodeNotFound, Message: abi.MsgSessionMissing}

	expect(t, "empty", outcome{Head: `{"events":[],"revision":0}`}, perform(t, all, abi.EffectSessionRead, `{"session":"s","from":0}`, ""))
	expect(t, "two at once", outcome{Head: `{"seqs":[0,1]}`}, perform(t, all, abi.EffectSessionCommit,
		commit(abi.CommitExpect{}, `{"type":"a","data":{"n":1.50}},{"type":"b","data":null,"surfaceOp":"append"}`), ""))
	expect(t, "stale revision", conflict, perform(t, all, abi.EffectSessionCommit, commit(abi.CommitExpect{Revision: 1}, `{"type":"x","data":1}`), ""))
	expect(t, "ahead", conflict, perform(t, all, abi.EffectSessionCommit, commit(abi.CommitExpect{Revision: 3}, `{"type":"x","data":1}`), ""))
	expect(t, "replacement", outcome{Head: `{"seqs":[2]}`}, perform(t, all, abi.EffectSessionCommit,
		commit(abi.CommitExpect{Revision: 2}, `{"type":"c","data":3,"surfaceOp":{"op":"replace","start":0,"end":1}}`), ""))
	expect(t, "stale generation", conflict, perform(t, all, abi.EffectSessionCommit, commit(abi.CommitExpect{Revision: 3}, ``), ""))
	expect(t, "nothing", outcome{Head: `{"seqs":[]}`}, perform(t, all, abi.EffectSessionCommit, commit(abi.CommitExpect{Revision: 3, Generation: 1}, ``), ""))
	if diff := cmp.Diff(abi.CommitExpect{Revision: 3, Generation: 1}, log.At("s")); diff != "" {
		t.Errorf("where it stands (-want +got):\n%s", diff)
	}

	got := perform(t, all, abi.EffectSessionRead, `{"session":"s","from":1,"max":1}`, "")
	var read struct {
		Events []struct {
			Type, SurfaceOp string
			Seq             int64
			Time            int64
		}
		Revision, Next int64
	}
	if err := json.Unmarshal([]byte(got.Head), &read); err != nil {
		t.Fatal(err)
	}
	if len(read.Events) != 1 || read.Events[0].Type != "b" || read.Events[0].Seq != 1 || read.Events[0].SurfaceOp != "append" || read.Revision != 3 || read.Next != 2 {
		t.Errorf("a part: %s", got.Head)
	}
	if whole := perform(t, all, abi.EffectSessionRead, `{"session":"s","from":0}`, "").Head; !strings.Contains(whole, `"data":{"n":1.50}`) {
		t.Errorf("data changed: %s", whole)
	}
	expect(t, "beyond", outcome{Head: `{"events":[],"revision":3}`}, perform(t, all, abi.EffectSessionRead, `{"session":"s","from":9}`, ""))
	expect(t, "read of none", missing, perform(t, all, abi.EffectSessionRead, `{"session":"t","from":0}`, ""))
	expect(t, "commit to none", missing, perform(t, all, abi.EffectSessionCommit, `{"session":"t","expect":{},"events":[]}`, ""))
}

// Of many that commit on the same reading exactly one wins each time.
func TestSessionCommitRace(t *testing.T) {
	var log SessionLog
	log.Open("s")
	all := log.Effects()
	for round := range 50 {
		at := log.At("s")
		var won atomic.Int32
		var work sync.WaitGroup
		for range 8 {
			work.Go(func() {
				if perform(t, all, abi.EffectSessionCommit, commit(at, `{"type":"x","data":1}`), "").Code == "" {
					won.Add(1)
				}
			})
		}
		work.Wait()
		if won.Load() != 1 {
			t.Fatalf("round %d: %d commits went through", round, won.Load())
		}
	}
}
