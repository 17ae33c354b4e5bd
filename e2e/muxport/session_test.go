package muxport_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/scriptmodel"
)

// event is a session event as it is sent.
type event struct {
	Type string          `json:"type"`
	Seq  int64           `json:"seq"`
	Time int64           `json:"time"`
	Data json.RawMessage `json:"data"`
}

// record is an event of a snapshot.
type record struct {
	Type  string `json:"type"`
	Event event  `json:"event"`
}

// followed is an item of session/follow.
type followed struct {
	Type    string   `json:"type"`
	Cursor  *int64   `json:"cursor"`
	Records []record `json:"records"`
	HasMore bool     `json:"hasMore"`
	Header  struct {
		Version  int    `json:"version"`
		ID       string `json:"id"`
		CWD      string `json:"cwd"`
		IsSeeded *bool  `json:"isSeeded"`
	} `json:"header"`
	Event event `json:"event"`
	Frame struct {
		Type            string `json:"type"`
		AttemptID       string `json:"attemptId"`
		Revision        int64  `json:"revision"`
		Index           *int64 `json:"index"`
		StartedAfterSeq *int64 `json:"startedAfterSeq"`
		Chunk           struct{ Type, Text string }
		Outcome         struct {
			Kind      string `json:"kind"`
			EventType string `json:"eventType"`
			Seq       int64  `json:"seq"`
		} `json:"outcome"`
	} `json:"frame"`
	AssistantStream *struct {
		Revision int64 `json:"revision"`
	} `json:"assistantStream"`
}

func (s *socket) follow(t *testing.T, stream, session string, more m) followed {
	t.Helper()
	request := m{"address": m{"kind": "session", "sessionId": session}}
	for k, v := range more {
		request[k] = v
	}
	s.open(t, stream, "session/follow", m{"request": request})
	return item[followed](t, s, stream)
}

// until reads a followed session up to a turn/end and gives all items.
func until(t *testing.T, s *socket, stream string) []followed {
	t.Helper()
	var all []followed
	for {
		f := item[followed](t, s, stream)
		all = append(all, f)
		if f.Type == "event" && f.Event.Type == "turn/end" {
			return all
		}
	}
}

func turn(ctx context.Context, t *testing.T, p *port) {
	id := p.session(ctx, t)
	s := p.mux(ctx, t)
	snapshot := s.follow(t, "f", id, m{"assistantStream": true})
	if snapshot.Type != "snapshot" || snapshot.Header.ID != id || snapshot.Header.CWD != p.Workspace || snapshot.Header.IsSeeded == nil ||
		snapshot.Cursor == nil || int(*snapshot.Cursor)+1 != len(snapshot.Records) || snapshot.AssistantStream == nil {
		t.Errorf("the snapshot: %+v", snapshot)
	}
	p.prompt(ctx, t, id, "turn-1", scriptmodel.Steps(scriptmodel.Step(scriptmodel.Think("well"), scriptmodel.Say("hello there"))))
	items := until(t, s, "f")

	seq, revision, live, durable, index := *snapshot.Cursor, snapshot.AssistantStream.Revision, "", "", int64(0)
	var order []string
	for _, f := range items {
		if f.Type == "event" {
			if seq++; f.Event.Seq != seq || f.Event.Time == 0 {
				t.Errorf("event %s has seq %d, want %d", f.Event.Type, f.Event.Seq, seq)
			}
			if f.Event.Type == "assistant/message" {
				durable = streamText(t, f.Event.Data)
				order = append(order, f.Event.Type)
			}
			if f.Event.Type == "assistant/chunk" {
				t.Error("a chunk is an event")
			}
			continue
		}
		if revision++; f.Frame.Revision != revision || f.Frame.AttemptID == "" {
			t.Errorf("frame %+v, want revision %d", f.Frame, revision)
		}
		switch f.Frame.Type {
		case "chunk":
			if f.Frame.Index == nil || *f.Frame.Index != index {
				t.Errorf("chunk %+v, want index %d", f.Frame, index)
			}
			index++
			if f.Frame.Chunk.Type == "text-delta" {
				live += f.Frame.Chunk.Text
			}
		case "start":
			if f.Frame.StartedAfterSeq == nil || *f.Frame.StartedAfterSeq != seq {
				t.Errorf("start %+v after seq %d", f.Frame, seq)
			}
			order = append(order, "start")
		case "end":
			order = append(order, "end "+f.Frame.Outcome.Kind+" "+f.Frame.Outcome.EventType)
		}
	}
	if diff := cmp.Diff([]string{"hello there", "hello there"}, []string{live, durable}); diff != "" {
		t.Errorf("the text, live and kept (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"start", "assistant/message", "end committed assistant/message"}, order); diff != "" {
		t.Errorf("the attempt (-want +got):\n%s", diff)
	}

	// Read again: the same log, in one window and in pages.
	again := s.follow(t, "g", id, m{"maxMessages": 500})
	if again.AssistantStream != nil || *again.Cursor < seq {
		t.Errorf("the second snapshot: cursor %d, live %v", *again.Cursor, again.AssistantStream)
	}
	for i, r := range again.Records {
		if r.Type != "event" || r.Event.Seq != int64(i) {
			t.Fatalf("record %d: %+v", i, r)
		}
	}
	for _, f := range items {
		if f.Type != "event" {
			continue
		}
		if diff := cmp.Diff(f.Event, again.Records[f.Event.Seq].Event); diff != "" {
			t.Errorf("event %d, live and read again (-live +again):\n%s", f.Event.Seq, diff)
		}
	}
	var pages []record
	before := *again.Cursor + 1
	for more := true; more; {
		var page struct {
			Records []record `json:"records"`
			HasMore bool     `json:"hasMore"`
		}
		err := p.call(ctx, t, "session/page", m{"request": m{
			"address": m{"kind": "session", "sessionId": id}, "throughSeq": *again.Cursor, "beforeSeq": before, "maxMessages": 1,
		}}, &page)
		if err != nil || len(page.Records) == 0 {
			t.Fatalf("a page before %d: %v", before, err)
		}
		pages = append(page.Records, pages...)
		before, more = page.Records[0].Event.Seq, page.HasMore
	}
	if diff := cmp.Diff(again.Records, pages); diff != "" {
		t.Errorf("the log in one and in pages (-one +pages):\n%s", diff)
	}
}

// streamText joins the text records of an assistant/message.
func streamText(t *testing.T, data json.RawMessage) string {
	t.Helper()
	var d struct {
		Stream []struct {
			Type  string   `json:"type"`
			Texts []string `json:"texts"`
		} `json:"stream"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, r := range d.Stream {
		if r.Type == "text-chunks" {
			out.WriteString(strings.Join(r.Texts, ""))
		}
	}
	return out.String()
}

func once(ctx context.Context, t *testing.T, p *port) {
	id := p.session(ctx, t)
	s := p.mux(ctx, t)
	s.follow(t, "f", id, nil)
	text := scriptmodel.Steps(scriptmodel.Say("one"))
	p.prompt(ctx, t, id, "once-1", text)
	p.prompt(ctx, t, id, "once-1", text)
	until(t, s, "f")
	p.prompt(ctx, t, id, "once-1", text) // logged by now
	p.prompt(ctx, t, id, "once-2", text)
	var asked []string
	for _, f := range until(t, s, "f") {
		var d struct {
			Source struct{ Kind, RPCID string }
		}
		if f.Event.Type != "user/message" {
			continue
		}
		if err := json.Unmarshal(f.Event.Data, &d); err != nil {
			t.Fatal(err)
		}
		if d.Source.Kind == "user" {
			asked = append(asked, d.Source.RPCID)
		}
	}
	if diff := cmp.Diff([]string{"once-2"}, asked); diff != "" {
		t.Errorf("prompts of the second turn (-want +got):\n%s", diff)
	}
}

// told is an item of $events.
type told struct {
	Type     string `json:"type"`
	ClientID string `json:"clientId"`
	Event    string `json:"event"`
	EventID  string `json:"eventId"`
	AgentID  string `json:"agentId"`
	Request  struct {
		ToolName string `json:"toolName"`
		CallID   string `json:"callId"`
		Reason   string `json:"reason"`
	} `json:"request"`
}

// listen opens $events and gives its client id.
func (s *socket) listen(t *testing.T, stream string) string {
	t.Helper()
	s.open(t, stream, "$events", m{})
	return s.listened(t, stream)
}

// listened waits for the ready frame.
func (s *socket) listened(t *testing.T, stream string) string {
	t.Helper()
	ready := item[told](t, s, stream)
	if ready.Type != "ready" || ready.ClientID == "" {
		t.Fatalf("the first item: %+v", ready)
	}
	return ready.ClientID
}

// about gives the next item of $events of a kind that is about a session or event.
func (s *socket) about(t *testing.T, stream, kind, id string) told {
	t.Helper()
	for {
		if e := item[told](t, s, stream); e.Type == kind && (e.AgentID == id || e.EventID == id) {
			return e
		}
	}
}

func (p *port) result(ctx context.Context, t *testing.T, client, eventID string, outcome m) {
	t.Helper()
	if err := p.call(ctx, t, "$events/result", m{"clientId": client, "eventId": eventID, "outcome": outcome}, nil); err != nil {
		t.Error(err)
	}
}

func approvals(ctx context.Context, t *testing.T, p *port) {
	id := p.session(ctx, t)
	s, other := p.mux(ctx, t), p.mux(ctx, t)
	s.follow(t, "f", id, nil)
	one, two := s.listen(t, "e"), other.listen(t, "e")
	p.prompt(ctx, t, id, "approvals-1", scriptmodel.Steps(scriptmodel.Bash("echo yes >> approved"), scriptmodel.Say("done")))
	asked := s.about(t, "e", "waterfall", id)
	if asked.Event != "approval/request" || asked.EventID == "" || asked.Request.ToolName != "bash" || asked.Request.CallID == "" || asked.Request.Reason != "sure?" {
		t.Errorf("asked: %+v", asked)
	}
	if diff := cmp.Diff(asked, other.about(t, "e", "waterfall", id)); diff != "" {
		t.Errorf("asked twice (-one +two):\n%s", diff)
	}
	// A client that goes is no answer; one that comes is asked the same again.
	other.conn.Close()
	late := p.mux(ctx, t)
	three := late.listen(t, "e")
	if diff := cmp.Diff(asked, late.about(t, "e", "waterfall", id)); diff != "" {
		t.Errorf("asked again (-first +late):\n%s", diff)
	}
	p.result(ctx, t, three, asked.EventID, m{"kind": "next"})
	p.result(ctx, t, one, asked.EventID, m{"kind": "result", "value": "allowed-once"})
	p.result(ctx, t, one, asked.EventID, m{"kind": "result", "value": "rejected"}) // settled: no effect
	p.result(ctx, t, one, "never-was", m{"kind": "result", "value": "rejected"})
	if err := p.call(ctx, t, "$events/result", m{"clientId": two, "eventId": asked.EventID, "outcome": m{"kind": "next"}}, nil); err == nil {
		t.Error("a client that is gone may answer")
	}
	decided := false
	for _, f := range until(t, s, "f") {
		if f.Event.Type == "approval/decided" {
			decided = strings.Contains(string(f.Event.Data), `"outcome":"allowed-once"`)
		}
	}
	if text, _ := p.Read(t, "approved"); !decided || text != "yes\n" {
		t.Errorf("decided %v, the file holds %q", decided, text)
	}
}

// decision reads up to the end of the turn and gives the outcome of its approval.
func decision(t *testing.T, s *socket) string {
	t.Helper()
	outcome := "none"
	for _, f := range until(t, s, "f") {
		if f.Event.Type == "approval/decided" {
			var d struct{ Outcome string }
			if err := json.Unmarshal(f.Event.Data, &d); err != nil {
				t.Fatal(err)
			}
			outcome = d.Outcome
		}
	}
	return outcome
}

// declined has the process to itself: when all clients decline, nobody answers.
func declined(ctx context.Context, t *testing.T, p *port) {
	id := p.session(ctx, t)
	log, s, other := p.mux(ctx, t), p.mux(ctx, t), p.mux(ctx, t)
	log.follow(t, "f", id, nil)
	one, two := s.listen(t, "e"), other.listen(t, "e")
	p.prompt(ctx, t, id, "declined-1", scriptmodel.Steps(scriptmodel.Bash("echo no"), scriptmodel.Say("fine")))
	asked := s.about(t, "e", "waterfall", id)
	p.result(ctx, t, one, asked.EventID, m{"kind": "next"})
	p.result(ctx, t, two, asked.EventID, m{"kind": "next"})
	if got := decision(t, log); got != "unavailable" {
		t.Errorf("declined by all: %s, want unavailable", got)
	}
}

// nobody is about what is no yes: an answer that is none, a no, a stopped turn. The
// clients that did not answer are told.
func nobody(ctx context.Context, t *testing.T, p *port) {
	id := p.session(ctx, t)
	log, s, other := p.mux(ctx, t), p.mux(ctx, t), p.mux(ctx, t)
	log.follow(t, "f", id, nil)
	one, two := s.listen(t, "e"), other.listen(t, "e")
	ask := func(request string) (told, told) {
		p.prompt(ctx, t, id, request, scriptmodel.Steps(scriptmodel.Bash("echo no >> declined"), scriptmodel.Say("fine")))
		return s.about(t, "e", "waterfall", id), other.about(t, "e", "waterfall", id)
	}
	outcome := func() string { return decision(t, log) }
	first, _ := ask("nobody-1")
	p.result(ctx, t, one, first.EventID, m{"kind": "next"})
	p.result(ctx, t, two, first.EventID, m{"kind": "result", "value": "maybe"})
	if got := outcome(); got != "unavailable" {
		t.Errorf("an answer that is none: %s, want unavailable", got)
	}
	second, _ := ask("nobody-2")
	p.result(ctx, t, two, second.EventID, m{"kind": "result", "value": "rejected"})
	s.about(t, "e", "cancel", second.EventID)
	if got := outcome(); got != "rejected" {
		t.Errorf("a no: %s", got)
	}
	third, _ := ask("nobody-3")
	if err := p.call(ctx, t, "session/cancel", m{"request": m{"sessionId": id}}, nil); err != nil {
		t.Fatal(err)
	}
	s.about(t, "e", "cancel", third.EventID)
	other.about(t, "e", "cancel", third.EventID)
	if got := outcome(); got != "cancelled" {
		t.Errorf("a stopped turn: %s", got)
	}
	if _, ok := p.Read(t, "declined"); ok {
		t.Error("a declined call ran")
	}
}

// olderFrame waits for a frame of the older wire of a kind that is about a session.
func olderFrame(t *testing.T, s *socket, kind, session string) (rpcID, approvalID string) {
	t.Helper()
	for {
		data, err := s.read()
		if err != nil {
			t.Fatalf("waiting for %s: %v", kind, err)
		}
		var f struct {
			RPCID   string
			Payload struct{ Type, SessionID, ApprovalID string }
		}
		if err := json.Unmarshal(data, &f); err != nil {
			t.Fatal(err)
		}
		if f.Payload.Type == kind && f.Payload.SessionID == session {
			return f.RPCID, f.Payload.ApprovalID
		}
	}
}

// bothWires asks clients of both wires of one process: whoever answers first wins,
// and the others are told.
func bothWires(ctx context.Context, t *testing.T, p *port) {
	id := p.session(ctx, t)
	log, s := p.mux(ctx, t), p.mux(ctx, t)
	log.follow(t, "f", id, nil)
	client := s.listen(t, "e")
	older, err := dial(ctx, t, p.older, "/api/events.mux", http.Header{}, false)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(request string) (eventID, rpcID, approvalID string) {
		p.prompt(ctx, t, id, request, scriptmodel.Steps(scriptmodel.Bash("echo "+request+" >> both-wires"), scriptmodel.Say("fine")))
		rpcID, approvalID = olderFrame(t, older, "approval/requested", id)
		return s.about(t, "e", "waterfall", id).EventID, rpcID, approvalID
	}
	eventID, rpcID, approvalID := ask("older-first")
	status, text := post(ctx, t, "http://"+p.older+"/api/respond", fmt.Sprintf(
		`{"type":"client-response","rpcId":%q,"result":{"ok":true,"value":{"sessionId":%q,"approvalId":%q,"outcome":"allowed-once"}}}`, rpcID, id, approvalID), http.Header{"Content-Type": {"application/json"}})
	if status != http.StatusOK || !strings.Contains(text, `"accepted":true`) {
		t.Fatalf("answering on the older wire: %d %s", status, text)
	}
	s.about(t, "e", "cancel", eventID)
	olderFrame(t, older, "approval/resolved", id)
	if got := decision(t, log); got != "allowed-once" {
		t.Errorf("answered on the older wire: %s", got)
	}

	eventID, _, approvalID = ask("newer-first")
	p.result(ctx, t, client, eventID, m{"kind": "result", "value": "rejected"})
	if _, resolved := olderFrame(t, older, "approval/resolved", id); resolved != approvalID {
		t.Errorf("resolved on the older wire: %s, want %s", resolved, approvalID)
	}
	if got := decision(t, log); got != "rejected" {
		t.Errorf("answered on the newer wire: %s", got)
	}
	if text, _ := p.Read(t, "both-wires"); text != "older-first\n" {
		t.Errorf("what ran: %q", text)
	}
}
