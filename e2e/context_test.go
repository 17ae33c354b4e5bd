package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/e2e/talks"
	"strata.dev/bridge/proto/chat"
)

// sized names a model that counts and refuses: w65536-d1.8-s413, with -strict where the
// reply counts too, -nocount where it has no count_tokens and -v3 for its fourth way to
// word a refusal.
func sized(window int, perToken float64, status int, more ...string) string {
	return strings.Join(append([]string{fmt.Sprintf("w%d-d%g-s%d", window, perToken, status)}, more...), "-")
}

// sizeOf reads such a name.
func sizeOf(model string) (s scriptmodel.Size, ok bool) {
	for _, part := range strings.Split(model, "-") {
		switch {
		case part == "strict":
			s.Strict = true
		case part == "nocount":
			s.NoCount = true
		case len(part) > 1:
			n, err := strconv.ParseFloat(part[1:], 64)
			if err != nil {
				continue // a word of its own
			}
			switch part[0] {
			case 'w':
				s.Window = int(n)
			case 'd':
				s.CharsPerToken = n
			case 's':
				s.RefuseStatus = int(n)
			case 'v':
				s.Wording = int(n)
			}
		}
	}
	return s, s.Window > 0 && s.CharsPerToken > 0
}

// sizedWorld has a Harness with these models, whose windows the Harness knows. Rows are
// further ones of the person's own layer.
func sizedWorld(ctx context.Context, t *testing.T, o kit.HostOptions, config scriptmodel.Config, rows string, models ...string) *world {
	t.Helper()
	config.Sizes = sizeOf
	w := &world{home: kit.NewHome(t), model: kit.StartModel(t, config)}
	o.Model = w.model
	w.home.File(t, "README.md", "# A small project\n")
	var b strings.Builder
	b.WriteString("- id: llm-pi-ai\n  config:\n    providers:\n      strata:\n        api: openai-completions\n        baseURL: " + w.model.URL() +
		"\n        apiKeyEnv: STRATA_ROUTE_KEY\n        compat: {supportsStore: false, supportsDeveloperRole: false}\n" +
		"        retryPolicy: {mode: normal, maxRetries: 1, backoff: {initialDelayMs: 10, maxDelayMs: 20, jitterRatio: 0}}\n        models:\n" +
		"          - {id: scripted-1, contextWindow: 262144, maxTokens: 32768}\n")
	for _, m := range models {
		s, ok := sizeOf(m)
		if !ok {
			t.Fatalf("no size in %q", m)
		}
		fmt.Fprintf(&b, "          - {id: %s, contextWindow: %d, maxTokens: %d, input: [text, image]}\n", m, declared(m, s.Window), min(32768, s.Window/4))
	}
	for _, m := range models { // the host counts for those that it knows
		o.Args = append(o.Args, "--model", m)
	}
	o.Args = append(o.Args, "--images")
	ownLayer(t, w.home, b.String()+rows)
	w.Host = kit.StartHost(ctx, t, w.home, o)
	return w
}

// declared is the window that the Harness is told of: the model's own, or where its name
// has x131072 that one.
func declared(model string, window int) int {
	for _, part := range strings.Split(model, "-") {
		if n, err := strconv.Atoi(strings.TrimPrefix(part, "x")); err == nil && part[0] == 'x' {
			return n
		}
	}
	return window
}

// roomy is a model that takes whatever is said.
const roomy = "w2000000-d4-s0"

// pair is a talk and the model that it is held with, which nobody else uses.
type pair struct {
	talk  talks.Talk
	model string
}

// pairs has each of the talks held with each of the models.
func pairs(all []talks.Talk, models ...string) []pair {
	var out []pair
	for _, talk := range all {
		for _, m := range models {
			out = append(out, pair{talk, fmt.Sprintf("%s-t%d-v%d", m, len(out), len(out))}) // each refuses in its own words
		}
	}
	return out
}

// matrix is every talk with models of all windows, densities and ways to refuse, and those
// with models that make no good summary.
func matrix() []pair {
	all := pairs(talks.All,
		sized(65_536, 1, 400), sized(65_536, 1.8, 400, "nocount"), sized(65_536, 1.8, 413), sized(65_536, 4, 413, "nocount"),
		sized(131_072, 1, 400, "strict"), sized(8192, 4, 400), sized(1_000_000, 1.8, 413))
	return append(all, badTalks(sized(65_536, 1, 413), sized(65_536, 1.8, 400), sized(65_536, 4, 400, "nocount"))...)
}

// everyday is of the matrix what every test run has time for. The plugin's own TestTalks
// holds all of it with a server of its own.
func everyday() []pair {
	all := pairs(talks.All, sized(65_536, 1.8, 400))
	for i, p := range slices.Concat(
		pairs(talks.All[:3], sized(65_536, 4, 413, "nocount"), sized(131_072, 1, 400, "strict")),
		pairs([]talks.Talk{talks.All[1], talks.Crowd}, sized(8192, 4, 400), sized(1_000_000, 1.8, 413)),
		pairs([]talks.Talk{talks.CJK, talks.Results}, sized(65_536, 4, 413, "nocount")),
		pairs([]talks.Talk{talks.Pictures}, sized(65_536, 1, 413)),
		pairs([]talks.Talk{talks.All[0]}, sized(8192, 4, 413), sized(1_000_000, 4, 400)),
	) {
		p.model += fmt.Sprintf("-u%d", i)
		all = append(all, p)
	}
	return append(badTalks(sized(65_536, 1.8, 400)), all...) // first, as one of them takes its time
}

func modelsOf(all []pair) []string {
	models := []string{roomy}
	for _, p := range all {
		models = append(models, p.model)
	}
	return models
}

// played holds talks, some at once, and gives what came of each.
func played(ctx context.Context, t *testing.T, w *world, all []pair) []talks.Outcome {
	t.Helper()
	out := make([]talks.Outcome, len(all))
	var held sync.WaitGroup
	seats := make(chan struct{}, 4) // more than there are cores, as some wait for a server that died
	for i, p := range all {
		held.Go(func() {
			seats <- struct{}{}
			defer func() { <-seats }()
			t.Run(p.talk.Name+" on "+p.model, func(t *testing.T) {
				size, _ := sizeOf(p.model)
				person := &talks.Person{Chat: w.NewChat(), Model: talks.Model{
					Route: "strata/" + p.model, Window: size.Window, PerTok: size.CharsPerToken, Another: "strata/" + roomy,
				}}
				if err := p.talk.Play(ctx, person); err != nil {
					t.Error(err)
				}
				out[i] = talks.Outcome{Talk: p.talk.Name, Model: p.model, Helped: person.Helped, Lost: person.Lost}
				count(&out[i], w.model.Requests(), p.model)
				t.Logf("offered %q, told %q, full %d", person.Offered, person.Told, person.Share)
			})
		})
	}
	held.Wait()
	return out
}

// count takes in the requests to one model.
func count(o *talks.Outcome, all []scriptmodel.Request, model string) {
	seen := map[string]bool{}
	for _, r := range all {
		if r.Chat.Model != model {
			continue
		}
		o.Requests++
		if r.Status != 400 && r.Status != 413 || r.Tokens <= r.Window {
			continue
		}
		o.Refused++
		prompt := talks.Prompt(r.Body)
		if seen[prompt] {
			o.Twice++
		}
		seen[prompt] = true
	}
}

// stock turns ours off: the Harness's own figures, engine and requests.
const stock = "- id: strata-context\n  disabled: true\n"

// TestContext holds chats that are too long for their models on the real Harness, some
// with models that make no good summary: they always go on, by themselves or by what the
// page offers, and no request above the window is sent twice.
func TestContext(t *testing.T) {
	ctx := kit.Context(t)
	all := everyday()
	strict, uncounted := sized(65_536, 2, 400, "strict", "nocount"), sized(65_536, 1.8, 400, "nocount", "holds")
	refuses, rambles := sized(65_536, 1.8, 400, "alone", "refuses"), sized(65_536, 1.8, 400, "alone", "rambles")
	w := sizedWorld(ctx, t, kit.HostOptions{}, scriptmodel.Config{Summaries: badSummaries()}, "", append(modelsOf(all), strict, uncounted, refuses, rambles)...)
	t.Run("a longer reply that has no room", func(t *testing.T) { stretched(ctx, t, w, strict) })
	t.Run("a goal that is too long", func(t *testing.T) { longGoal(ctx, t, w, strict) })
	t.Run("no summary is to be had", func(t *testing.T) { givesUp(ctx, t, w, refuses) })
	t.Run("a summary is as long as what it is of", func(t *testing.T) { givesUp(ctx, t, w, rambles) })
	out := played(ctx, t, w, all)
	t.Run("a refusal outlives the Harness", func(t *testing.T) { outlives(ctx, t, w, uncounted) })
	for _, o := range out {
		// One refusal in twenty is what a count that nobody gives leaves.
		if most := 2 + o.Requests/20; len(o.Lost) > 0 || o.Twice > 0 || o.Refused > most {
			t.Errorf("%s on %s: %+v", o.Talk, o.Model, o)
		}
	}
	if kept, err := filepath.Glob(w.path(".strata/restore/*.md")); err != nil || len(kept) == 0 {
		t.Errorf("where no summary was made nothing is kept of what was left out: %v", err)
	}
	t.Log("\n" + talks.Table("with Strata's context plugin", out))
}

// stretched has a first message that fits with the Harness's own reply, and not with the
// longer one that is asked for first, as nobody knows its size yet.
func stretched(ctx context.Context, t *testing.T, w *world, model string) {
	c := w.NewChat()
	for n := range 2 {
		text := fmt.Sprintf("#! SAY \"answer %d\"\n", n)
		if n == 0 {
			text += talks.Log(55_000)
		}
		frames := play(ctx, t, c, text, func(r *chat.StreamRequest) { r.Model = "strata/" + model })
		if got := kit.Text(frames); got != fmt.Sprint("answer ", n) {
			t.Errorf("message %d is answered with %q", n, got)
		}
	}
	var got []string
	for _, r := range w.model.Requests() {
		if r.Chat.Model == model && r.Chat.Stream {
			got = append(got, fmt.Sprintf("%d fits %v", r.Status, r.Tokens+max(r.Chat.MaxTokens, r.Chat.MaxCompletionTokens) <= r.Window))
		}
	}
	if d := cmp.Diff([]string{"400 fits false", "200 fits true", "200 fits true"}, got); d != "" {
		t.Errorf("requests (-want +got):\n%s", d)
	}
}

// givesUp has a chat above the threshold, in which a summary is tried before a message, but
// not a third time in vain, and the chat says so.
func givesUp(ctx context.Context, t *testing.T, w *world, model string) {
	c := w.NewChat()
	var told []string
	for n := range 6 {
		text := "#! SAY seen"
		if n < 2 {
			text += "\n" + talks.Log(26_500)
		}
		told = append(told, own(play(ctx, t, c, text, func(r *chat.StreamRequest) { r.Model = "strata/" + model }))...)
	}
	if d := cmp.Diff([]string{
		"Earlier messages could not be summarized. The answer goes on; start a new chat if it stops.",
		"Summarizing freed no room twice, so it is not tried again by itself. Write /compact to try once more, or start a new chat.",
	}, told); d != "" {
		t.Errorf("it tells (-want +got):\n%s", d)
	}
	var got []string
	for _, r := range w.model.Requests() {
		kind := "answer"
		if r.Kind == scriptmodel.Compaction {
			kind = "summary"
		}
		if r.Chat.Model == model && (kind == "answer" || got[len(got)-1] != kind) { // a summary takes several
			got = append(got, kind)
		}
	}
	if d := cmp.Diff("answer, answer, summary, answer, summary, answer, answer, answer", strings.Join(got, ", ")); d != "" {
		t.Errorf("requests (-want +got):\n%s", d)
	}
}

// outlives has a message refused that nobody could count, and the Harness killed while room
// is made for it. With the next one it is too long as well, which the log of the session
// tells: it does not go out before there is room.
func outlives(ctx context.Context, t *testing.T, w *world, model string) {
	c := w.NewChat()
	on := func(r *chat.StreamRequest) { r.Model = "strata/" + model }
	run, err := c.Send(ctx, "#! SAY never\n"+talks.Log(118_000), on)
	must(t, err)
	_, err = w.model.WaitRequest(ctx, scriptmodel.HeldAt(model))
	must(t, err)
	old := harnessOf(ctx, t, w)
	must(t, syscall.Kill(old.PID, syscall.SIGKILL))
	gone(ctx, t, "the Harness", old)
	frames, err := run.End(ctx)
	must(t, err)
	if last := frames[len(frames)-1]; last.Type != chat.Failed {
		t.Errorf("the first message ends with %+v", last)
	}
	w.model.Release(model)
	if got := kit.Text(play(ctx, t, c, "#! SAY \"the answer\"", on)); got != "the answer" {
		t.Errorf("the next message is answered with %q", got)
	}
	var o talks.Outcome
	if count(&o, w.model.Requests(), model); o.Refused != 1 {
		t.Errorf("requests: %+v", o)
	}
}

// TestContextNet: where nobody counts and the server takes less than it was said to, a
// message goes out and is refused; earlier messages are summarized and it is sent again.
func TestContextNet(t *testing.T) {
	overEach(t, []string{"0.1.0", "0.1.5", "0.2"}, func(ctx context.Context, t *testing.T, o kit.HostOptions) {
		silent, telling := sized(65_536, 4, 413, "nocount", "x131072"), sized(65_536, 4, 400, "nocount", "x262144", "v1")
		w := sizedWorld(ctx, t, o, scriptmodel.Config{}, "", silent, telling)
		t.Run("413", func(t *testing.T) { net(ctx, t, w, silent) })
		t.Run("400", func(t *testing.T) { net(ctx, t, w, telling) })
	})
}

// net holds a chat whose fourth message is refused by a server that takes less than it was
// said to.
func net(ctx context.Context, t *testing.T, w *world, model string) {
	c := w.NewChat()
	on := func(r *chat.StreamRequest) { r.Model = "strata/" + model }
	for n := range 4 {
		text := fmt.Sprintf("#! SAY \"answer %d\"\n%s", n, talks.Log(60_000))
		frames := play(ctx, t, c, text, on)
		if got := kit.Text(frames); got != fmt.Sprint("answer ", n) {
			t.Errorf("message %d is answered with %q", n, got)
		}
		if told := own(frames); n == 3 && !slices.Contains(told, "Earlier messages were summarized, so there is room to go on.") {
			t.Errorf("it tells %q", told)
		}
	}
	var o2 talks.Outcome
	if count(&o2, w.model.Requests(), model); o2.Refused != 1 || o2.Twice != 0 {
		t.Errorf("requests: %+v", o2)
	}
	h, err := c.History(ctx)
	must(t, err)
	if last := h.Messages[len(h.Messages)-1]; last.Text != "answer 3" {
		t.Errorf("the history ends with %+v", last)
	}
}
