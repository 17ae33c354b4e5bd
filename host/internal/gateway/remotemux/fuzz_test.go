package remotemux

import (
	"context"
	"encoding/json"
	"testing"

	"strata.dev/bridge/proto/dsh"
)

// Whatever a frame holds: no panic, nothing that blocks, and only what is no JSON
// breaks the socket.
func FuzzFrames(f *testing.F) {
	for _, seed := range []string{
		`{"type":"item","streamId":"s1","value":{"type":"ready","clientId":"c"}}`,
		`{"type":"item","streamId":"s1","value":{"type":"emit","event":"api-session/added","args":[{"sessionId":"s","origin":"subagent","parentSessionId":"p"}]}}`,
		`{"type":"item","streamId":"s1","value":{"type":"cancel","eventId":"e"}}`,
		`{"type":"item","streamId":"s2","value":{"type":"baseline","value":{"queues":{"s":[]},"projections":{"s":{"asOfSeq":1,"values":{"inbox":{"next-turn":[]}}}}}}}`,
		`{"type":"item","streamId":"s2","value":{"type":"projection","sessionId":"s","key":"subagentCatalog","value":[{"id":"h","mode":"one-shot"}],"seq":1}}`,
		`{"type":"item","streamId":"s3","value":{"type":"event","event":{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}}}`,
		`{"type":"item","streamId":"s3","value":{"type":"assistant-stream","frame":{"type":"chunk","attemptId":"a","index":0,"chunk":{"type":"text-delta"}}}}`,
		`{"type":"error","streamId":"s3","error":{"code":"x","message":"m","details":{}}}`,
		`{"type":"end","streamId":"s2"}`, `{"type":7,"streamId":[]}`, `[]`, `nonsense`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := newGateway(Options{Launch: Launch{BaseURL: "http://127.0.0.1:1"}}.withDefaults())
		if err != nil {
			t.Fatal(err)
		}
		g.stop() // tasks end at once
		defer g.tasks.Wait()
		s := &stream{gw: g, session: "s", last: dsh.Event{Seq: -1}, wake: make(chan struct{}, 1)}
		if err := g.streams.Add(s.session, s); err != nil {
			t.Fatal(err)
		}
		sock := &socket{
			refuse: g.caller.Refuse, counts: &g.counts, log: g.log, wake: make(chan struct{}, 1),
			fail: context.CancelCauseFunc(func(error) {}), streams: map[string]opened{},
		}
		s.feed = &feed{of: s, sock: sock}
		for _, to := range []sink{
			&events{gw: g, sock: sock, ready: make(chan struct{}), ended: make(chan error, 1), released: true},
			&controls{gw: g, ended: make(chan error, 1)}, s.feed,
		} {
			if _, err := sock.stream("x", nil, to); err != nil {
				t.Fatal(err)
			}
		}
		err = sock.take(data)
		if valid := json.Valid(data); err != nil && valid && json.Unmarshal(data, &hostFrame{}) == nil || err == nil && !valid {
			t.Errorf("%q gives %v", data, err)
		}
		for raw, ok := s.queue.Take(); ok; raw, ok = s.queue.Take() {
			s.receive(raw)
		}
		_ = s.projected()
	})
}
