package e2e

import (
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// earlier is a data folder that an earlier host has written (testdata/earlier), and what
// that host told of it: a chat without the agent, one in which a file was written, and
// one in which that was denied, a command was typed, and which was renamed and archived.
// Left out are what each start writes anew, and logs.
type earlier struct {
	Chats     []chat.ChatSummary
	History   []chat.Chat
	Decisions []chat.Decision
}

func openEarlier(t *testing.T, home *kit.Home) earlier {
	t.Helper()
	from := filepath.Join("testdata", "earlier")
	raw, err := os.ReadFile(filepath.Join(from, "told.json"))
	must(t, err)
	var told earlier
	must(t, json.Unmarshal(raw, &told))
	if len(told.Chats) != 3 || len(told.History) != 3 || len(told.Decisions) != 2 {
		t.Fatalf("the earlier host told %d chats, %d histories, %d decisions", len(told.Chats), len(told.History), len(told.Decisions))
	}
	must(t, os.CopyFS(home.Data, os.DirFS(filepath.Join(from, "data"))))
	return told
}

// files are the files below a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, dir)] = string(data)
		return err
	}))
	return out
}

// TestEarlierData: this host has all that an earlier one has written, and chats go on.
func TestEarlierData(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	w := &world{home: kit.NewHome(t), model: kit.StartModel(t, scriptmodel.Config{})}
	told := openEarlier(t, w.home)
	w.Host = kit.StartHost(ctx, t, w.home, kit.HostOptions{Model: w.model})

	chats, err := w.Chats(ctx)
	must(t, err)
	if d := cmp.Diff(told.Chats, chats); d != "" {
		t.Errorf("chats (-earlier +now):\n%s", d)
	}
	for _, want := range told.History {
		got, err := kit.Chat{Client: w.Client, ID: want.ChatID}.History(ctx)
		must(t, err)
		// What cards and chats tell since then besides.
		since := cmp.Options{cmpopts.IgnoreFields(chat.Tool{}, "TitleKey", "TitleArgs", "ResultKey", "ResultArgs"), cmpopts.IgnoreFields(chat.Chat{}, "Context")}
		if d := cmp.Diff(want, got, since); d != "" {
			t.Errorf("%s (-earlier +now):\n%s", want.ChatID, d)
		}
	}
	log, err := w.Decisions(ctx, url.Values{})
	must(t, err)
	if d := cmp.Diff(told.Decisions, log.Decisions); d != "" {
		t.Errorf("decisions (-earlier +now):\n%s", d)
	}
	var session string
	for _, c := range told.Chats {
		if c.ChatID == "first" {
			session = c.SessionID
		}
	}
	remembers(ctx, t, w, kit.Chat{Client: w.Client, ID: "first"}, session, "vermilion")
	frames := play(ctx, t, kit.Chat{Client: w.Client, ID: "alone"}, scriptmodel.Steps(scriptmodel.Say("still alone")))
	if got := kit.Text(frames); got != "still alone" || kit.ByTheAgent(frames) {
		t.Errorf("the chat without the agent says %q", got)
	}
}

// TestLaterData: what a newer host has written is refused in a sentence, and stays.
func TestLaterData(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	home, model := kit.NewHome(t), kit.StartModel(t, scriptmodel.Config{})
	openEarlier(t, home)
	agent := filepath.Join(home.Data, "agent")
	path := filepath.Join(agent, "sessions.json")
	raw, err := os.ReadFile(path)
	must(t, err)
	later := strings.Replace(string(raw), `"version": 1,`, `"version": 2,`, 1)
	if later == string(raw) {
		t.Fatal("the file has no version")
	}
	must(t, os.WriteFile(path, []byte(later), 0o600))
	before := files(t, agent)
	host := kit.LaunchHost(t, home, kit.HostOptions{Model: model})
	code, err := host.Wait(ctx)
	must(t, err)
	if said := host.Output(); code != 1 || !slices.Contains(said, "The data folder "+home.Data+" was written by a newer Strata. Start that one, or choose another --data folder.") {
		t.Errorf("exit code %d, and it said %q", code, said)
	}
	if d := cmp.Diff(before, files(t, agent)); d != "" {
		t.Errorf("the data (-before +after):\n%s", d)
	}
}
