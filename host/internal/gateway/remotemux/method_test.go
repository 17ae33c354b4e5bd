package remotemux_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/gatewaytest"
	"strata.dev/bridge/host/internal/gateway/remotemux/double"
	"strata.dev/bridge/proto/dsh"
)

// All calls, against a double that takes exact arguments only.
func TestCalls(t *testing.T) {
	for name, setup := range map[string]func(*bench){"0.2": func(*bench) {}, "0.1.5": old} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				prompts := make(chan double.Prompt, 10)
				b := connect(t, setup, func(b *bench) {
					b.Prompted = func(_ *double.Session, p double.Prompt) { prompts <- p }
					b.Executed = func(_ *double.Session, line string) (string, bool, bool) {
						return "did " + line, line != "/fail", line != "/unknown"
					}
				})
				ctx, gw := t.Context(), b.gw
				check := func(what string, err error, code string) {
					t.Helper()
					if code == "" && err != nil || code != "" && !gateway.IsCode(err, code) {
						t.Errorf("%s gives %v, want %q", what, err, code)
					}
				}
				_, err := gw.Describe(ctx)
				check("describe", err, "")
				id, err := gw.CreateSession(ctx, "/repo", "strata")
				check("create", err, "")
				check("model", gw.SelectModel(ctx, id, gateway.Model{Provider: "strata", ID: "m", Effort: "high"}), "")
				check("no such model", gw.SelectModel(ctx, id, gateway.Model{Provider: "nope", ID: "m"}), gateway.CodeModelUnavailable)
				check("rename", gw.Rename(ctx, id, "a name"), "")
				check("a blank name", gw.Rename(ctx, id, " "), gateway.CodeTitleInvalid)
				p := gateway.Prompt{SessionID: id, RequestID: "r1", Text: "hello"}
				check("prompt", gw.Prompt(ctx, p), "")
				p.Resend = true
				check("the same again", gw.Prompt(ctx, p), "")
				check("steer", gw.Prompt(ctx, gateway.Prompt{SessionID: id, RequestID: "r2", Text: "also", Steer: true}), "")
				check("blank", gw.Prompt(ctx, gateway.Prompt{SessionID: id, RequestID: "r3", Text: " "}), gateway.CodeBadRequest)
				check("unknown", gw.Prompt(ctx, gateway.Prompt{SessionID: "nope", RequestID: "r4", Text: "x"}), gateway.CodeSessionNotFound)
				synctest.Wait()
				close(prompts)
				got := map[string]double.Prompt{}
				for p := range prompts {
					got[p.RequestID] = p
				}
				want := map[string]double.Prompt{"r1": {RequestID: "r1", Text: "hello"}, "r2": {RequestID: "r2", Text: "also", Steer: true}}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("prompts taken (-want +got):\n%s", diff)
				}
				snap, err := gw.Snapshot(ctx, id, 0)
				check("snapshot", err, "")
				v, err := dsh.Decode(snap.Events[1])
				check("decode", err, "")
				check("unqueue", gw.Unqueue(ctx, id, v.(*dsh.Splice).Inserted[0].ID), "")
				check("once more", gw.Unqueue(ctx, id, v.(*dsh.Splice).Inserted[0].ID), gateway.CodeQueueItemNotFound)
				check("archive", gw.Archive(ctx, id), "")
				check("archive again", gw.Archive(ctx, id), "")
				check("archive nobody", gw.Archive(ctx, "nope"), gateway.CodeSessionNotFound)
				check("cancel", gw.Cancel(ctx, id), "")
				check("cancel nobody", gw.Cancel(ctx, "nope"), gateway.CodeSessionNotFound)
				for line, want := range map[string]gateway.CommandResult{
					"/permission x": {Found: true, OK: true, Text: "did /permission x"},
					"/fail":         {Found: true, Text: "did /fail"},
					"/unknown":      {},
				} {
					r, err := gw.Execute(ctx, id, line)
					check(line, err, "")
					if r != want {
						t.Errorf("%s gives %+v, want %+v", line, r, want)
					}
				}
				list, err := gw.Sessions(ctx)
				check("list", err, "")
				row := gateway.Session{ID: id, Title: "a name", CWD: "/repo", UpdatedAt: list[0].UpdatedAt}
				if diff := cmp.Diff([]gateway.Session{row}, list); diff != "" {
					t.Errorf("list (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// The older argument of commands/execute is found out once.
func TestExecuteProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t, old)
		id := b.Create("s", "/repo").ID
		for range 3 {
			if _, err := b.gw.Execute(t.Context(), id, "/x"); err != nil {
				t.Fatal(err)
			}
		}
		n := 0
		for _, m := range b.Calls() {
			if m == "commands/execute" {
				n++
			}
		}
		if n != 4 {
			t.Errorf("3 commands took %d calls, want 4", n)
		}
	})
}

func TestGoals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		id := b.Create("s", "/repo").ID
		var gw gateway.Goals = b.gw
		ctx := t.Context()
		read := func() (g *dsh.GoalView, err error) {
			raw, err := b.gw.Call(ctx, "goals/get", json.RawMessage(`{"agentId":"`+id+`"}`))
			if err != nil || raw == nil {
				return nil, err
			}
			return g, json.Unmarshal(raw, &g)
		}
		if g, err := read(); g != nil || err != nil {
			t.Errorf("no goal is %+v, %v", g, err)
		}
		ref, err := gw.CreateGoal(ctx, id, "all tests pass", 5)
		if err != nil {
			t.Fatal(err)
		}
		if err := gw.EditGoal(ctx, id, ref, "most tests pass", 0); err != nil {
			t.Error(err)
		}
		if err := gw.ChangeGoal(ctx, id, ref, "pause"); !gateway.IsCode(err, gateway.CodeInternal) {
			t.Errorf("a stale reference gives %v", err)
		}
		for _, verb := range []string{"pause", "resume", "complete"} {
			g, err := read()
			if err != nil {
				t.Fatal(err)
			}
			if err := gw.ChangeGoal(ctx, id, dsh.GoalRef{ID: g.ID, Revision: g.Revision}, verb); err != nil {
				t.Errorf("%s: %v", verb, err)
			}
		}
		g, err := read()
		want := &dsh.GoalView{Activation: "armed", Goal: dsh.Goal{
			ID: ref.ID, Revision: 5, Objective: "most tests pass", Phase: "complete", MaxGoalRounds: 5,
		}}
		if diff := cmp.Diff(want, g); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if err := gw.ChangeGoal(ctx, id, dsh.GoalRef{ID: g.ID, Revision: g.Revision}, "clear"); err != nil {
			t.Error(err)
		}
		if err := gw.ChangeGoal(ctx, id, ref, "explode"); err == nil {
			t.Error("a verb that there is not was taken")
		}
	})
}

// Every code comes through with its details, and every HTTP status has its error.
func TestErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var status atomic.Int64
		var body atomic.Value
		body.Store("")
		b := connect(t, func(b *bench) {
			b.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
				if !gatewaytest.Asks(r, "session/rename") {
					return false
				}
				raw, _ := io.ReadAll(r.Body)
				_, id, _ := strings.Cut(string(raw), `"rpcId":"`)
				id, _, _ = strings.Cut(id, `"`)
				w.WriteHeader(int(status.Load()))
				_, _ = fmt.Fprint(w, strings.ReplaceAll(body.Load().(string), "ID", id))
				return true
			}
		})
		refusal := func(code string) string {
			return `{"type":"server-response","rpcId":"ID","result":{"ok":false,"error":{"code":"` + code + `","message":"m","details":{"sessionId":"s"}}}}`
		}
		type answered struct {
			status int64
			body   string
			code   string // "": ErrLost
		}
		tests := []answered{
			{200, refusal("of/tomorrow"), "of/tomorrow"},
			{200, `{"type":"server-response","rpcId":"other","result":{"ok":true}}`, gateway.CodeProtocol},
			{200, `<html>`, gateway.CodeProtocol},
			{400, "", gateway.CodeBadRequest},
			{403, "", gateway.CodeUnauthorized},
			{404, "", gateway.CodeUnknownMethod},
			{413, "", gateway.CodeTooLarge},
			{415, "", gateway.CodeBadRequest},
			{500, "secret text", gateway.CodeInternal},
			{502, "", ""},
		}
		for wire, ours := range gatewaytest.Codes {
			tests = append(tests, answered{200, refusal(wire), ours})
		}
		for _, tt := range tests {
			status.Store(tt.status)
			body.Store(tt.body)
			err := b.gw.Rename(t.Context(), "s", "x")
			if tt.code == "" && !errors.Is(err, gateway.ErrLost) || tt.code != "" && !gateway.IsCode(err, tt.code) {
				t.Errorf("%d %s gives %v, want %q", tt.status, tt.body, err, tt.code)
			}
			if err == nil || contains(err, "secret text") {
				t.Errorf("%d gives %v", tt.status, err)
			}
		}
		status.Store(200)
		body.Store(refusal("session/writer-held"))
		var refused *gateway.Error
		want := &gateway.Error{Method: "session/rename", Code: gateway.CodeWriterHeld, Message: "m", Details: `{"sessionId":"s"}`}
		if err := b.gw.Rename(t.Context(), "s", "x"); !errors.As(err, &refused) || *refused != *want {
			t.Errorf("got %#v, want %#v", err, want)
		}
	})
}
