package gate

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/plugins/gate/journal"
	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/proto/abi"
)

func TestADecisionIsOnDiskBeforeItIsGiven(t *testing.T) {
	none := abi.GateConfig{}
	h := newHost(t, none)
	call := writing("a")
	c := h.d.Start("confirm", abi.GateConfirm{Call: call, Decision: Decide(call, none), What: "a"}, nil)
	h.serve(c)
	c.Answer(c.Effects()[0], yes, nil)
	for len(c.Effects()) > 0 && c.Effects()[0].Kind != abi.EffectStoreAppend { // up to the log's own write
		e := c.Effects()[0]
		c.Answer(e, abi.StoreNames{}, nil)
	}
	if len(c.Effects()) != 1 {
		t.Fatalf("the verdict was given before the log was written: %s", c.Head)
	}
	var entry, want = abi.GateEntry{}, abi.GateEntry{
		Root: "session-1", Session: "helper-2", Call: "call-3", Tool: "write", What: "a", Mode: abi.Manual, Decision: abi.Allow,
		By: abi.ByPerson, Rule: "tool:write", Outcome: allowedOnce, Scope: abi.ScopeOnce, Digest: digest(call),
	}
	decode(t, c.Effects()[0].Body, &entry)
	entry.Time = 0
	if diff := cmp.Diff(want, entry); diff != "" {
		t.Error(diff)
	}
	c.Answer(c.Effects()[0], struct{}{}, nil)
	checkVerdict(t, h.verdict(c), allowed)
}

func TestAYesThatCannotBeWrittenDownIsNone(t *testing.T) {
	none := abi.GateConfig{}
	h := newHost(t, none)
	h.fails[abi.EffectStoreAppend] = abi.CodeFailed
	checkVerdict(t, h.answer(h.confirm(writing("a"), none), yes), refusedWith(reason.NotWritten))
	if refused, _ := abi.Refused(reason.NotWritten); !refused {
		t.Error("it does not read as a refusal")
	}
	got := h.answer(h.confirm(writing("a"), none), no)
	if got.Decision != abi.Deny || !strings.HasPrefix(got.Message, "The person said no") {
		t.Errorf("a no that cannot be written down: %+v", got)
	}
	delete(h.fails, abi.EffectStoreAppend)
	checkVerdict(t, h.answer(h.confirm(writing("a"), none), yes), allowed)
}

// A host without a store asks and answers; nothing is kept.
func TestWithoutAStore(t *testing.T) {
	none := abi.GateConfig{}
	h := newHost(t, none)
	for _, kind := range []string{abi.EffectStoreGet, abi.EffectStorePut, abi.EffectStoreAppend, abi.EffectStoreList, abi.EffectStoreDelete} {
		h.fails[kind] = abi.CodeRefused
	}
	checkVerdict(t, h.answer(h.confirm(writing("a"), none), yesFor(abi.ScopeAlways, "")), allowed)
	checkVerdict(t, h.answer(h.confirm(searching("r", "r", "a"), none), yes), allowed)
	h.question(h.confirm(searching("r", "r", "b"), none))
	if len(h.store) > 0 {
		t.Errorf("it wrote %v", h.store)
	}
}

// A store that fails makes the question fail, which is a no.
func TestAStoreThatCannotBeRead(t *testing.T) {
	none := abi.GateConfig{}
	h := newHost(t, none)
	h.fails[abi.EffectStoreList] = abi.CodeFailed
	if c := h.confirm(writing("a"), none); c.Err == nil || c.Err.Code != abi.CodeFailed {
		t.Errorf("%+v", c)
	}
}

func TestRecord(t *testing.T) {
	h := newHost(t, abi.GateConfig{})
	entries := []abi.GateEntry{
		{Time: 5, Tool: "bash", What: "ls TOKEN=abcdefgh1", Decision: abi.Allow, Rule: "bash:ls"},
		{Time: 6, Tool: "write", Decision: abi.Allow, Rule: "mode:bypass"},
		{Time: 7, Tool: "write", Decision: abi.Deny, Rule: "tool:write"},
		{Time: 8, Tool: "bash", Decision: abi.Deny, Rule: abi.RuleFault},
		{Time: 9, Tool: "bash", Decision: abi.Deny, Rule: "shim:unseen", By: abi.ByFault},
	}
	if err := h.do("record", abi.GateRecord{Entries: entries}, nil); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"bash allow by rule bash:ls", "write allow by mode mode:bypass", "write deny by mode tool:write", "bash deny by fault gate-fault", "bash deny by fault shim:unseen",
	}
	if diff := cmp.Diff(want, h.log()); diff != "" {
		t.Error(diff)
	}
	if log := h.store[journal.Name(1)]; strings.Contains(log, "abcdefgh1") || !strings.HasPrefix(log, `{"time":5,`) {
		t.Errorf("the log holds %s", log)
	}
	if err := h.do("record", abi.GateRecord{}, nil); err != nil {
		t.Fatal(err)
	}
}

func TestTheLogIsBounded(t *testing.T) {
	h := newHost(t, abi.GateConfig{})
	entry := abi.GateEntry{Tool: "bash", What: strings.Repeat("long words ", 40), Decision: abi.Allow, Rule: "bash:ls"}
	for i := range 500 {
		entries := make([]abi.GateEntry, 50)
		for j := range entries {
			entries[j] = entry
			entries[j].Call = fmt.Sprint(i, "-", j)
		}
		if err := h.do("record", abi.GateRecord{Entries: entries}, nil); err != nil {
			t.Fatal(err)
		}
		if i%100 == 50 {
			h.restart(abi.GateConfig{})
		}
	}
	size := 0
	for name, record := range h.store {
		if len(record) > abi.MaxDecisionBytes {
			t.Errorf("%s holds %d bytes", name, len(record))
		}
		size += len(record)
	}
	if n := len(h.store); n != abi.MaxDecisionRecord || size < (abi.MaxDecisionRecord-2)*abi.MaxDecisionBytes {
		t.Errorf("%d records of %d bytes", n, size)
	}
	var last abi.GateEntry
	newest := ""
	for name := range h.store {
		newest = max(newest, name)
	}
	lines := strings.Split(strings.TrimSpace(h.store[newest]), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.Call != "499-49" {
		t.Errorf("the newest entry is %+v (%v)", last, err)
	}
}

// A record that a crash cut in the middle of a line loses that line alone.
func TestATornLineIsEnded(t *testing.T) {
	h := newHost(t, abi.GateConfig{})
	h.store[journal.Name(3)] = `{"time":1,"tool":"ba`
	h.store["decisions-other"] = "x"
	if err := h.do("record", abi.GateRecord{Entries: []abi.GateEntry{{Time: 2, Tool: "bash", Decision: abi.Allow, Rule: "bash:ls"}}}, nil); err != nil {
		t.Fatal(err)
	}
	want := `{"time":1,"tool":"ba` + "\n" + `{"time":2,"tool":"bash","decision":"allow","by":"rule","rule":"bash:ls"}` + "\n"
	if diff := cmp.Diff(want, h.store[journal.Name(3)]); diff != "" {
		t.Error(diff)
	}
}
