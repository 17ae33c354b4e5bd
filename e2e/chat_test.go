package e2e

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// world is one host on one real Harness that many scenarios share, each with
// chats of its own.
type world struct {
	*kit.Host
	home  *kit.Home
	model *scriptmodel.Model
}

func newWorld(ctx context.Context, t *testing.T, o kit.HostOptions) *world {
	t.Helper()
	w := &world{home: kit.NewHome(t), model: kit.StartModel(t, scriptmodel.Config{})}
	o.Model = w.model
	w.home.File(t, "README.md", "# A small project\n")
	w.Host = kit.StartHost(ctx, t, w.home, o)
	return w
}

// path is a file's absolute name in the workspace.
func (w *world) path(name string) string { return filepath.Join(w.home.Workspace, name) }

// exists tells whether a file of the workspace is there.
func (w *world) exists(t *testing.T, name string) bool {
	t.Helper()
	_, ok := w.home.Read(t, name)
	return ok
}

// play sends a script and gives the run's frames once it has ended well.
func play(ctx context.Context, t *testing.T, c kit.Chat, script string, changes ...func(*chat.StreamRequest)) []chat.Frame {
	t.Helper()
	run := send(ctx, t, c, script, changes...)
	return ended(ctx, t, run)
}

func send(ctx context.Context, t *testing.T, c kit.Chat, text string, changes ...func(*chat.StreamRequest)) *kit.Run {
	t.Helper()
	run, err := c.Send(ctx, text, changes...)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// ended waits for the end of a run, which must be a done frame.
func ended(ctx context.Context, t *testing.T, run *kit.Run) []chat.Frame {
	t.Helper()
	frames, err := run.End(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if last := frames[len(frames)-1]; last.Type != chat.Done {
		t.Fatalf("the run ended with %+v", last)
	}
	return frames
}

// card waits for a card, which must come.
func card(ctx context.Context, t *testing.T, run *kit.Run, tool string, state chat.ToolState) chat.Tool {
	t.Helper()
	c, err := run.Card(ctx, tool, state)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refusedWith checks that err is the host's refusal with a status, a code, and a
// sentence for the person.
func refusedWith(t *testing.T, err error, status int, code chat.Code) {
	t.Helper()
	var r *kit.Refused
	if !errors.As(err, &r) {
		t.Errorf("got %v, want a refusal with %d %s", err, status, code)
		return
	}
	if r.Status != status || r.Why.Code != code {
		t.Errorf("refused with %d %s, want %d %s", r.Status, r.Why.Code, status, code)
	}
	if len(r.Why.Text) < 10 || !strings.HasSuffix(r.Why.Text, ".") {
		t.Errorf("%d %s says %q, which is no sentence", r.Status, r.Why.Code, r.Why.Text)
	}
}

// TestChat plays the main job over each wire: one host, one Harness, many chats at
// once. The transcripts are the same for all.
func TestChat(t *testing.T) {
	overEach(t, []string{"0.1.0", "0.1.5", "0.2"}, chats)
}

func chats(ctx context.Context, t *testing.T, o kit.HostOptions) {
	w := newWorld(ctx, t, o)
	t.Run("scenarios", func(t *testing.T) {
		for name, scenario := range map[string]func(context.Context, *testing.T, *world){
			"looking runs unasked":             lookingRunsUnasked,
			"approve runs it":                  approveRunsIt,
			"a file shows while it is written": draftsShow,
			"deny does not and tells why":      denyDoesNot,
			"two chats see only their own":     twoChats,
			"history is the stream again":      historyIsTheStream,
			"plan refuses without asking":      planRefuses,
			"bypass asks nothing":              bypassAsksNothing,
			"helper in the foreground":         helperForeground,
			"helper in the background":         helperBackground,
			"helpers in plan":                  helpersInPlan,
			"stop mid tool":                    stopMidTool,
			"stop mid stream":                  stopMidStream,
			"stop with a question standing":    stopAtQuestion,
			"a closed tab is not stop":         closedTab,
			"a resend is harmless":             resend,
			"second answers":                   secondAnswers,
			"a message while one runs":         queuedMessage,
			"a model that fails":               modelFails,
			"commands typed":                   commandsTyped,
			"a message steers":                 steered,
			"stop ends what waits":             stoppedQueue,
			"empty endings say why":            emptyEndings,
			"a cut reply goes on":              cutReplies,
			"a waiting message is told now":    waitingMessages,
			"what is not sent":                 notSent,
			"a command begins a chat":          commandFirst,
			"a goal goes through its rounds":   goalRounds,
			"a goal is halted at work":         goalAside,
			"the guard ends a turn":            guardEnds,
			"a plan is answered":               planAnswered,
			"the guard ends a plan":            guardPlan,
			"a goal by the assistant":          goalByTool,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				recorded(ctx, t, w, name, scenario)
			})
		}
		t.Run("helpers at once", func(t *testing.T) { // which of them comes first is chance
			t.Parallel()
			helpersAtOnce(ctx, t, w)
		})
		t.Run("the guard finds no room", func(t *testing.T) { // how far the last call gets is chance
			t.Parallel()
			guardFull(ctx, t, w)
		})
	})
}

// recorded plays a scenario and compares what was asked, what came and what is kept
// with its transcript.
func recorded(ctx context.Context, t *testing.T, w *world, name string, scenario func(context.Context, *testing.T, *world)) {
	var r kit.Recorder
	scene := *w
	scene.Host = &kit.Host{Process: w.Process, Client: w.Client.Recorded(&r)}
	scenario(ctx, t, &scene)
	if t.Failed() {
		return
	}
	tr := kit.Transcript(t, w.home, strings.ReplaceAll(name, " ", "-"), "Chat: "+name+".")
	must(t, r.Write(ctx, tr))
	tr.Check(t)
}

func lookingRunsUnasked(ctx context.Context, t *testing.T, w *world) {
	frames := play(ctx, t, w.NewChat(), scriptmodel.Steps(scriptmodel.Bash("ls README.md"), scriptmodel.Say("that is all")))
	if diff := cmp.Diff([]string{"bash: running done"}, kit.States(frames)); diff != "" {
		t.Errorf("cards (-want +got):\n%s", diff)
	}
	if got := kit.Text(frames); got != "that is all" {
		t.Errorf("the answer is %q", got)
	}
	var result string
	for _, f := range frames {
		if f.Type == chat.AgentTool && f.Tool.State == chat.ToolDone {
			result = f.Tool.Result
		}
	}
	if !strings.Contains(result, "README.md") {
		t.Errorf("the card's result is %q", result)
	}
	first := frames[:2]
	if first[0].Type != chat.Queued || first[1].Type != chat.Started || first[1].Agent != true || first[1].Mode != "manual" || first[1].SessionID == "" {
		t.Errorf("the run began with %+v", first)
	}
}

func approveRunsIt(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Write(w.path("approved.txt"), "hello\n"), scriptmodel.Say("written")))
	proposed := card(ctx, t, run, "write", chat.ToolProposed)
	if w.exists(t, "approved.txt") {
		t.Error("the file exists before the answer")
	}
	if proposed.Reason == "" || proposed.Digest == "" || !strings.Contains(proposed.Title, "approved.txt") {
		t.Errorf("the card says %+v", proposed)
	}
	pending, err := w.Pending(ctx, c.ID)
	must(t, err)
	if len(pending) != 1 || pending[0].Tool.ID != proposed.ID || pending[0].ChatID != c.ID {
		t.Errorf("pending: %+v", pending)
	}
	must(t, c.Approve(ctx, proposed))
	frames := ended(ctx, t, run)
	if diff := cmp.Diff([]string{"write: running proposed running done"}, kit.States(frames)); diff != "" {
		t.Errorf("cards (-want +got):\n%s", diff)
	}
	if text, _ := w.home.Read(t, "approved.txt"); text != "hello\n" {
		t.Errorf("the file holds %q", text)
	}
}

func denyDoesNot(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Write(w.path("declined.txt"), "no"), scriptmodel.Say("as you wish")))
	must(t, c.Deny(ctx, card(ctx, t, run, "write", chat.ToolProposed), "put it under docs instead"))
	frames := ended(ctx, t, run)
	if diff := cmp.Diff([]string{"write: running proposed denied"}, kit.States(frames)); diff != "" {
		t.Errorf("cards (-want +got):\n%s", diff)
	}
	if w.exists(t, "declined.txt") {
		t.Error("the file exists after a no")
	}
	told, err := w.model.WaitRequest(ctx, scriptmodel.And(scriptmodel.Asks("declined.txt"), func(r scriptmodel.Request) bool { return r.Step == 1 }))
	must(t, err)
	if !strings.Contains(string(told.Body), "put it under docs instead") {
		t.Errorf("the model was not told the note: %s", told.Body)
	}
}

func draftsShow(ctx context.Context, t *testing.T, w *world) {
	text := strings.Repeat("a line of the file\n", 100)
	frames := play(ctx, t, w.NewChat(), scriptmodel.Steps(scriptmodel.Write(w.path("drafted.txt"), text), scriptmodel.Say("ok")), kit.Mode("bypass"))
	var drafts []chat.ToolDraft
	for _, f := range frames {
		if f.Type == chat.AgentTool {
			for _, d := range drafts {
				if d.ID != f.Tool.ID || d.Name != "write" {
					t.Errorf("a draft of another card: %+v", d)
				}
			}
			break
		}
		if f.Type == chat.AgentDraft {
			drafts = append(drafts, *f.ToolDraft)
		}
	}
	if len(drafts) < 3 {
		t.Fatalf("%d drafts came before the card", len(drafts))
	}
	for i, d := range drafts {
		if d.Size > len(text) || d.Lines != strings.Count(text[:d.Size-1], "\n")+1 || !strings.HasSuffix(text[:d.Size], d.Tail) || i > 0 && d.Size <= drafts[i-1].Size {
			t.Errorf("draft %d: %+v", i, d)
		}
	}
}

func twoChats(ctx context.Context, t *testing.T, w *world) {
	chats := []kit.Chat{w.NewChat(), w.NewChat()}
	files := []string{"left.txt", "right.txt"}
	var runs []*kit.Run
	var cards []chat.Tool
	for i, c := range chats {
		run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Write(w.path(files[i]), files[i]), scriptmodel.Say("ok "+files[i])))
		runs = append(runs, run)
		cards = append(cards, card(ctx, t, run, "write", chat.ToolProposed))
	}
	// Each chat's card is answered by its own chat only.
	refusedWith(t, chats[0].Approve(ctx, cards[1]), 409, chat.CodeNotYours)
	must(t, chats[0].Approve(ctx, cards[0]))
	must(t, chats[1].Deny(ctx, cards[1], ""))
	left, right := ended(ctx, t, runs[0]), ended(ctx, t, runs[1])
	for i, frames := range [][]chat.Frame{left, right} {
		for _, f := range frames {
			if f.Type == chat.AgentTool && f.Tool.ID != cards[i].ID {
				t.Errorf("chat %d shows the card %+v", i, f.Tool)
			}
		}
		if got, want := kit.Text(frames), "ok "+files[i]; got != want {
			t.Errorf("chat %d says %q, want %q", i, got, want)
		}
	}
	if !w.exists(t, "left.txt") || w.exists(t, "right.txt") {
		t.Error("the wrong file was written")
	}
}

func historyIsTheStream(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	script := scriptmodel.Steps(scriptmodel.Step(scriptmodel.Think("let me look"), scriptmodel.Bash("cat README.md")), scriptmodel.Say("a small project"))
	frames := play(ctx, t, c, script)
	h, err := c.History(ctx)
	must(t, err)
	var last chat.Tool
	for _, f := range frames {
		if f.Type == chat.AgentTool {
			last = *f.Tool
		}
	}
	for i := range h.Messages { // when and by which request is not of the stream
		h.Messages[i].Time, h.Messages[i].RPCID = 0, ""
	}
	want := []chat.Message{
		{Role: "user", Text: script},
		{Role: "assistant", Reasoning: "let me look", Tools: []chat.Tool{last}},
		{Role: "assistant", Text: "a small project"},
	}
	if diff := cmp.Diff(want, h.Messages); diff != "" || h.Run != "" {
		t.Errorf("the history (-stream +history), run %q:\n%s", h.Run, diff)
	}
	chats, err := w.Chats(ctx)
	must(t, err)
	for _, row := range chats {
		if row.ChatID == c.ID {
			return
		}
	}
	t.Errorf("the chat is not in the list %+v", chats)
}

func planRefuses(ctx context.Context, t *testing.T, w *world) {
	frames := play(ctx, t, w.NewChat(), scriptmodel.Steps(
		scriptmodel.Bash("ls README.md"), scriptmodel.Write(w.path("planned.txt"), "x"), scriptmodel.Bash("touch planned.txt"), scriptmodel.Say("this is the plan"),
	), kit.Mode("plan"))
	want := []string{"bash: running done", "write: running denied", "bash: running denied"}
	if diff := cmp.Diff(want, kit.States(frames)); diff != "" {
		t.Errorf("cards (-want +got):\n%s", diff)
	}
	for _, f := range frames {
		if f.Type == chat.AgentTool && f.Tool.State == chat.ToolDenied && !strings.Contains(f.Tool.Reason+f.Tool.Result, "Not allowed in this mode") {
			t.Errorf("a refused card says %+v", f.Tool)
		}
	}
	if w.exists(t, "planned.txt") {
		t.Error("a plan turn wrote a file")
	}
}

func bypassAsksNothing(ctx context.Context, t *testing.T, w *world) {
	frames := play(ctx, t, w.NewChat(), scriptmodel.Steps(
		scriptmodel.Write(w.path("bypassed.txt"), "x"), scriptmodel.Bash("mv bypassed.txt moved.txt"), scriptmodel.Say("done"),
	), kit.Mode("bypass"))
	if diff := cmp.Diff([]string{"write: running done", "bash: running done"}, kit.States(frames)); diff != "" {
		t.Errorf("cards (-want +got):\n%s", diff)
	}
	if !w.exists(t, "moved.txt") {
		t.Error("nothing was written")
	}
}

func resend(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	script := scriptmodel.Steps(scriptmodel.Bash("echo once >> resend.log"), scriptmodel.Say("logged"))
	id := kit.RequestID("resend-1")
	run := send(ctx, t, c, script, id)
	again := send(ctx, t, c, script, id)
	must(t, c.Approve(ctx, card(ctx, t, run, "bash", chat.ToolProposed)))
	first := ended(ctx, t, run)
	second := ended(ctx, t, again)
	third := ended(ctx, t, send(ctx, t, c, script, id))
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("a resend during the run (-first +second):\n%s", diff)
	}
	if diff := cmp.Diff(first, third); diff != "" {
		t.Errorf("a resend after the run (-first +third):\n%s", diff)
	}
	if text, _ := w.home.Read(t, "resend.log"); text != "once\n" {
		t.Errorf("the command ran so often: %q", text)
	}
}

func secondAnswers(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Write(w.path("twice.txt"), "x"), scriptmodel.Say("ok")))
	proposed := card(ctx, t, run, "write", chat.ToolProposed)

	unknown, swapped := proposed, proposed
	unknown.ID = "call-that-never-was"
	refusedWith(t, c.Approve(ctx, unknown), 404, chat.CodeUnknownTool)
	swapped.Digest = strings.Repeat("0", 64)
	refusedWith(t, c.Approve(ctx, swapped), 409, chat.CodeChanged)
	elsewhere := kit.Chat{Client: w.Client, ID: "no-such-chat"}
	refusedWith(t, elsewhere.Approve(ctx, proposed), 404, chat.CodeUnknownSession)
	if w.exists(t, "twice.txt") {
		t.Error("a refused answer ran the call")
	}

	results := make(chan error, 8)
	unrecorded := c // which of them wins is not the same each time
	unrecorded.Client = unrecorded.Recorded(nil)
	for range cap(results) {
		go func() { results <- unrecorded.Approve(ctx, proposed) }()
	}
	won := 0
	for range cap(results) {
		if err := <-results; err == nil {
			won++
		} else {
			refusedWith(t, err, 409, chat.CodeNotPending)
		}
	}
	if won != 1 {
		t.Errorf("%d of %d answers at once were taken", won, cap(results))
	}
	ended(ctx, t, run)
	refusedWith(t, c.Deny(ctx, proposed, ""), 409, chat.CodeNotPending)
}

func queuedMessage(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	first := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Step(scriptmodel.Say("one "), scriptmodel.Hold("queued-message"))))
	_, err := w.model.WaitRequest(ctx, scriptmodel.HeldAt("queued-message"))
	must(t, err)
	second := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Say("two")))
	if _, err := second.Wait(ctx, kit.OfType(chat.Queued)); err != nil {
		t.Fatal(err)
	}
	w.model.Release("queued-message")
	ended(ctx, t, first)
	if got := kit.Text(ended(ctx, t, second)); got != "two" {
		t.Errorf("the second run says %q", got)
	}
}

func modelFails(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	run := send(ctx, t, c, "#! ERR 401 the key is not valid")
	frames, err := run.End(ctx)
	must(t, err)
	last := frames[len(frames)-1]
	if last.Type != chat.Failed || last.Code != chat.CodeModelFailed || !strings.HasSuffix(last.Text, ".") || last.Details == "" {
		t.Errorf("the run ended with %+v", last)
	}
	if got := kit.Text(play(ctx, t, c, scriptmodel.Steps(scriptmodel.Say("better")))); got != "better" {
		t.Errorf("the next message says %q", got)
	}
}
