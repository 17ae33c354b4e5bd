package e2e

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

type quotingService struct {
	*httptest.Server
	asked sync.Map // numbers of the keys that messages came with
}

// quoting is a service that says its client's key wherever it can: in its list, in its
// refusals, in headers, in redirects, in the middle of a stream, in pieces, and in the
// forms that texts are written in.
func quoting(t *testing.T) *quotingService {
	t.Helper()
	s := &quotingService{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") + r.Header.Get("X-Api-Key")
		if !strings.Contains(key, string(ofKey)) {
			t.Errorf("%s came with the key %q", r.URL, key)
		}
		w.Header().Set("X-Your-Key", key)
		w.Header().Set("X-Request-Id", "of "+key)
		w.Header().Set("X-Basic", "Basic "+base64.StdEncoding.EncodeToString([]byte("user:"+key)))
		way := strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/")[0]
		asks := strings.HasSuffix(r.URL.Path, "/chat/completions") || strings.HasSuffix(r.URL.Path, "/messages")
		if asks {
			i, err := strconv.Atoi(strings.Split(r.URL.Path, "/")[2])
			if err != nil {
				t.Error(err)
			}
			s.asked.Store(i, true)
		}
		switch {
		case strings.HasSuffix(r.URL.Path, "/models") && way == "lists":
			fmt.Fprintf(w, `{"data":[{"id":"m","name":"Model of %s","context_length":100000},{"id":%q}]}`, key, key)
		case strings.HasSuffix(r.URL.Path, "/models") && (way == "streams" || way == "splits" || way == "encodes"):
			fmt.Fprint(w, `{"data":[{"id":"m"}]}`)
		case asks && way == "streams":
			answer(w, r, "your key is "+key)
		case asks && way == "splits":
			answer(w, r, "your key is ", key[:1], key[1:len(key)/3], key[len(key)/3:len(key)/2], key[len(key)/2:], ".")
		case asks && way == "encodes":
			header := base64.StdEncoding.EncodeToString([]byte("user:" + key))
			answer(w, r, url.QueryEscape(key)+" "+hex.EncodeToString([]byte(key))+" ", header[:9], header[9:])
		case way == "redirects":
			http.Redirect(w, r, "http://127.0.0.1:9/"+key, http.StatusTemporaryRedirect)
		case way == "breaks":
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, "<html>%s", key)
		case way == "encodes":
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":{"message":"bad key %s, %x, %s"}}`, url.QueryEscape(key), key, base64.StdEncoding.EncodeToString([]byte(key)))
		default:
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s","type":"invalid_request_error","code":"invalid_api_key"}}`, key)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

var ways = []string{"lists", "refuses", "streams", "splits", "encodes", "redirects", "breaks"}

var kinds = []chat.ModelKind{chat.KindOpenAI, chat.KindAnthropic, chat.KindDeepSeek, chat.KindOpenRouter, chat.KindLocal}

// answer streams pieces of text, thought first, as the protocol of the request has it.
func answer(w http.ResponseWriter, r *http.Request, pieces ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	if strings.HasSuffix(r.URL.Path, "/messages") {
		begin, end, _ := strings.Cut(claudeSays, "event: content_block_delta")
		_, end, _ = strings.Cut(end, "\n\n")
		fmt.Fprint(w, begin)
		for _, piece := range pieces {
			fmt.Fprintf(w, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":%q}}\n\n", piece)
		}
		fmt.Fprint(w, end)
		return
	}
	for _, field := range []string{"reasoning_content", "content"} {
		for _, piece := range pieces {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{%q:%q}}]}\n\n", field, piece)
		}
	}
	fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
}

// heard collects all that a client was told.
type heard struct {
	mu  sync.Mutex
	all []string
}

func (h *heard) add(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, what)
}

// ask makes a request, whatever it is answered with, and keeps the answer.
func (h *heard) ask(ctx context.Context, w *kit.Host, method, path string, body any) json.RawMessage {
	var raw json.RawMessage
	if err := w.Do(ctx, method, path, body, &raw); err != nil {
		var refused *kit.Refused // whose sentence is not all that it holds
		errors.As(err, &refused)
		why, _ := json.Marshal(refused)
		h.add(fmt.Sprintf("%s %s: %v %s", method, path, err, why))
	}
	h.add(string(raw))
	return raw
}

// says plays a message on a model to its end, whatever that is; with enough, to where that
// is nil, as the agent asks some services again and again.
func (h *heard) says(ctx context.Context, t *testing.T, w *kit.Host, model string, enough func(context.Context) error) {
	c := w.NewChat()
	run, err := c.Send(ctx, "hello", onModel(model, ""))
	if err != nil {
		h.add(err.Error())
		return
	}
	if enough != nil {
		err = kit.Until(ctx, enough)
		_, stopped := c.Stop(ctx)
		if err = errors.Join(err, stopped); err != nil {
			t.Errorf("%s: %v", model, err)
		}
	}
	frames, err := run.End(ctx)
	if err != nil {
		t.Error(err)
	}
	text, err := told(frames)
	if err != nil {
		t.Error(err)
	}
	h.add(text)
}

// redirected waits until the service was asked with the key of that number.
func (s *quotingService) redirected(i int) func(context.Context) error {
	return func(context.Context) error {
		if _, ok := s.asked.Load(i); !ok {
			return errNotYet
		}
		return nil
	}
}

// places gives what was told by number.
func (h *heard) places() map[string]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := map[string]string{}
	for i, text := range h.all {
		out[fmt.Sprintf("answer %d", i)] = text
	}
	return out
}

// Forty keys of all shapes go through all that takes a key, to services and MCP servers
// that quote them; forty more are variables of servers that are programs, forty are in the
// host's environment, and forty are in what a person writes and tools bring. None of the
// host's is in what a client is told, in what the host prints and logs, in any file but the
// one that they are kept in, on the page, or anywhere that the agent can look; but a
// program's are with it and the Harness, and in the chats that it tells them to. What is
// said in a chat is in that chat alone.
func TestFortyKeysStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	keys, service := ofKey.secrets(), quoting(t)
	var environ []string
	for i, secret := range ofEnviron.secrets() {
		environ = append(environ, []string{"SERVICE_%d_API_KEY", "PLAIN_%d", "LC_%d_TOKEN", "NODE_OPTION_%d"}[i%4]+"="+secret+thisRun)
		environ[i] = strings.Replace(environ[i], "%d", fmt.Sprint(i), 1)
	}
	w := newWorld(ctx, t, kit.HostOptions{
		Key: keys[0], Args: []string{"--log-level", "debug"}, Env: environ, Services: map[string]string{"exa": service.URL + "/refuses"},
	})
	h := &heard{}
	var ids []string
	for i, key := range keys {
		spec := chat.ConnectionSpec{Kind: kinds[i%len(kinds)], Name: fmt.Sprintf("Service %d", i), BaseURL: fmt.Sprintf("%s/%s/%d", service.URL, ways[i%len(ways)], i), Key: &key,
			Models: []chat.ModelSpec{{ID: "m", ContextWindow: 100_000}}}
		h.ask(ctx, w.Host, "POST", "/api/models/test", spec)
		var c chat.ModelConnection
		must(t, json.Unmarshal(h.ask(ctx, w.Host, "POST", "/api/models", spec), &c))
		ids = append(ids, c.ID)
		h.ask(ctx, w.Host, "POST", "/api/models/"+c.ID+"/test", nil)
		h.ask(ctx, w.Host, "GET", "/api/models/"+c.ID+"/offers?again=1", nil)
		spec.Key = nil
		h.ask(ctx, w.Host, "PUT", "/api/models/"+c.ID, spec)
	}
	// What cannot be a key, or stands in the wrong place, is refused and not quoted.
	for i, spec := range []chat.ConnectionSpec{
		{Kind: chat.KindOpenAI, BaseURL: "https://me:" + keys[0] + "@example.com/v1"}, {Kind: chat.KindOpenAI, BaseURL: "https://example.com/v1?key=" + keys[0]},
		{Kind: chat.ModelKind(keys[0])}, {Kind: chat.KindOpenAI, BaseURL: "https://example.com", Key: new(keys[0] + " " + keys[1])},
	} {
		before := len(h.all)
		h.ask(ctx, w.Host, "POST", "/api/models", spec)
		if refusal := strings.Join(h.all[before:], " "); !strings.Contains(refusal, "400") || ofKey.in(refusal) != "" {
			t.Errorf("refusal %d quotes the key, or is none: %s", i, refusal)
		}
	}
	cli := exec.CommandContext(ctx, kit.HostBinary(t), "models", "add", "--data", w.home.Data, "--kind", "openai", "--name", "By command", "--base-url", service.URL+"/lists", "--key-file", "-", "--model", "m")
	cli.Stdin = strings.NewReader(keys[1] + "\n")
	out, err := cli.CombinedOutput()
	must(t, err)
	h.add(string(out))
	h.ask(ctx, w.Host, "PUT", "/api/agent/tools", chat.ToolsPatch{WebSearch: &chat.WebSearchPatch{Service: new("exa"), Key: &keys[2]}})
	servers := addQuoting(ctx, t, w.Host, h, keys)

	var all sync.WaitGroup
	for i, id := range ids {
		var enough func(context.Context) error
		if way := ways[i%len(ways)]; way == "redirects" && kinds[i%len(kinds)] != chat.KindLocal {
			enough = service.redirected(i)
		}
		all.Go(func() { h.says(ctx, t, w.Host, id+"/m", enough) })
		if i%10 == 9 { // as many at once as a busy machine takes
			all.Wait()
		}
	}
	for i := range keys {
		// A model server on this computer whose list cannot be read has no models.
		local := kinds[i%len(kinds)] == chat.KindLocal && slices.Contains([]string{"refuses", "redirects", "breaks"}, ways[i%len(ways)])
		if _, asked := service.asked.Load(i); asked == local {
			t.Errorf("the agent asked with key %d: %t", i, asked)
		}
	}
	callQuoting(ctx, t, w.Host, h)
	sought, err := told(play(ctx, t, w.NewChat(), scriptmodel.Steps(search("deep water"), scriptmodel.Say("x")), kit.Mode("bypass")))
	must(t, err)
	if h.add(sought); !strings.Contains(sought, "Exa") {
		t.Errorf("Exa was not asked: %s", sought)
	}
	said := theChatsOwn(ctx, t, w)
	theAgentLooks(ctx, t, w)
	public := &heard{} // what tells nothing of a chat's words
	for _, path := range []string{"/api/models", "/api/agent/status", "/api/agent/pending", "/metrics", "/api/permissions", "/api/agent/tools", "/api/wire/status", "/livez", "/"} {
		public.ask(ctx, w.Host, "GET", path, nil)
	}
	if decided := string(public.ask(ctx, w.Host, "GET", "/api/decisions?limit=1000", nil)); strings.Count(decided, "[redacted]") < 40 {
		t.Errorf("the decision log does not tell what was asked, without its secrets: %.2000s", decided)
	}
	page := thePage(ctx, t, w)
	chats, err := w.Chats(ctx)
	must(t, err)
	for _, c := range chats {
		h.ask(ctx, w.Host, "GET", "/api/chats/"+c.ChatID, nil)
	}
	if _, err := w.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	public.add(strings.Join(w.Output(), "\n"))
	kept := filepath.Join(w.home.Data, "keys.json")
	files := unpacked(t, w.home.Dir)
	if len(files) < 30 || len(h.all) < 200 || len(page) < 1000 {
		t.Errorf("%d files, %d answers and a page of %d bytes were looked through", len(files), len(h.all), len(page))
	}
	sessions := filepath.Join(w.home.Data, "agent", "home", "sessions")
	for m, but := range map[marker][]string{
		ofKey:     {kept, filepath.Join(w.home.Dir, "model.key")},
		ofEnviron: nil,
		ofServer:  {kept, sessions}, // a program's own words, which do not come through the host
		// The chat itself: the Harness's log of it and its list of them, what the host knows it by, the files that were asked for.
		ofChat: {sessions, filepath.Join(w.home.Data, "agent", "home", "storages"), filepath.Join(w.home.Data, "agent", "sessions.json"), filepath.Join(w.home.Data, "tasks"), w.home.Workspace},
	} {
		texts := public.places()
		if m != ofChat {
			maps.Copy(texts, h.places())
			texts["the page"], texts["what is said"] = page, said
		} else if m.in(said) == "" {
			t.Error("a chat does not tell what was said in it")
		}
		held := 0
		for path, text := range files {
			if slices.ContainsFunc(but, func(place string) bool { return strings.HasPrefix(path, place) }) {
				held += min(1, len(m.in(text)))
				continue
			}
			texts[path] = text
		}
		for _, leak := range m.found(texts) {
			t.Errorf("%s is in %s", m, leak)
		}
		if held == 0 && but != nil {
			t.Errorf("%s is not where it belongs", m)
		}
	}
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the keys' file: %v, %v", info, err)
	}

	// Without the Harness the host asks by itself; then all is removed.
	w.Host = kit.StartHost(ctx, t, w.home, kit.HostOptions{Model: w.model, NoModel: true, Harness: noHarness(t, w.home), Args: []string{"--log-level", "debug"}})
	for _, id := range ids {
		all.Go(func() { h.says(ctx, t, w.Host, id+"/m", nil) })
	}
	all.Wait()
	for _, id := range append(ids, "by-command") {
		h.ask(ctx, w.Host, "DELETE", "/api/models/"+id, nil)
	}
	h.ask(ctx, w.Host, "PUT", "/api/agent/tools", chat.ToolsPatch{WebSearch: &chat.WebSearchPatch{Key: new("")}})
	for _, name := range servers {
		h.ask(ctx, w.Host, "DELETE", "/api/agent/tools/custom/"+name, nil)
	}
	if _, err := w.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	h.add(strings.Join(w.Output(), "\n"))
	texts := h.places()
	maps.Copy(texts, unpacked(t, w.home.Data))
	for _, m := range []marker{ofKey, ofEnviron, ofServer} {
		if m == ofServer { // the chats are there still
			maps.DeleteFunc(texts, func(path, _ string) bool { return strings.HasPrefix(path, sessions) })
		}
		for _, leak := range m.found(texts) {
			t.Errorf("without the Harness, and when all is removed, %s is in %s", m, leak)
		}
	}
}

// theChatsOwn puts secrets of forty shapes into chats in all ways that words and files
// get there, and gives what the chats tell.
func theChatsOwn(ctx context.Context, t *testing.T, w *world) string {
	t.Helper()
	secrets := ofChat.secrets()
	w.home.File(t, "notes.txt", strings.Join(secrets, "\n")+"\n")
	var mu sync.Mutex
	var said strings.Builder
	keep := func(frames []chat.Frame) {
		text, err := told(frames)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			t.Error(err)
		}
		said.WriteString(text)
	}
	var all sync.WaitGroup
	for part := range slices.Chunk(secrets, 10) {
		all.Go(func() {
			c := w.NewChat()
			words := strings.Join(part, " ")
			// Written by the person, thought and said by the model, in a command that is allowed, and in its output.
			keep(play(ctx, t, c, "My keys are "+words+" "+scriptmodel.Steps(scriptmodel.Step(scriptmodel.Think(words), scriptmodel.Bash("echo "+words)), scriptmodel.Say(words))))
			for i, secret := range part[:5] {
				command := []string{"curl -H 'Authorization: Bearer %s' http://127.0.0.1:9", "API_KEY=%s make", "touch %s.txt", "git clone https://u:%s@127.0.0.1:9/x"}[i%4]
				script := scriptmodel.Steps(scriptmodel.Bash(fmt.Sprintf(command, secret)+" "+part[i+5]), scriptmodel.Say("x"))
				run := send(ctx, t, c, script)
				asked := card(ctx, t, run, "bash", chat.ToolProposed)
				switch i % 5 {
				case 0:
					must(t, c.Deny(ctx, asked, "not with "+secret))
				case 1:
					if err := c.ApproveFor(ctx, asked, chat.ScopeAlways, ""); err != nil { // it cannot be allowed in advance
						must(t, c.Deny(ctx, asked, ""))
					}
				default:
					must(t, c.Approve(ctx, asked))
				}
				keep(ended(ctx, t, run))
			}
			keep(play(ctx, t, c, scriptmodel.Steps(scriptmodel.Bash("cat "+part[0]), scriptmodel.Call("read", map[string]string{"file_path": w.path("notes.txt")}),
				scriptmodel.Call("grep", map[string]string{"pattern": part[1], "path": w.home.Workspace}), scriptmodel.Say("x"))))
			keep(play(ctx, t, c, scriptmodel.Steps(scriptmodel.Write(w.path("out-"+part[0][:4]+".txt"), words), search(words), scriptmodel.Say("x")), kit.Mode("bypass")))
			keep(play(ctx, t, c, scriptmodel.Steps(scriptmodel.Bash("rm "+part[2]), scriptmodel.Say("x")), kit.Mode("plan")))
		})
	}
	all.Wait()
	c := w.NewChat()
	as, err := w.Oversize(ctx, chat.OversizeRequest{ChatID: c.ID, Text: "attached: " + strings.Join(secrets, "\n"), As: "file"})
	must(t, err)
	keep(play(ctx, t, c, as.Text+" "+scriptmodel.Steps(scriptmodel.Say("read")), func(r *chat.StreamRequest) { r.MaxRounds = 1 }))
	failed, err := send(ctx, t, c, secrets[3]+" "+"#! ERR 400 \"no "+secrets[3]+"\"").End(ctx)
	must(t, err)
	keep(failed)
	task, err := w.AddTask(ctx, chat.TaskSpec{Name: secrets[4], Text: secrets[5] + " " + scriptmodel.Steps(scriptmodel.Bash("touch "+secrets[6]), scriptmodel.Say(secrets[7])), Cron: "@yearly"})
	must(t, err)
	_, err = w.RunTask(ctx, task.ID)
	must(t, err)
	must(t, kit.Until(ctx, func(ctx context.Context) error {
		results, err := w.TaskResults(ctx, task.ID)
		if err == nil && len(results) == 0 {
			err = errNotYet
		}
		return err
	}))
	return said.String()
}

// thePage opens the page on the models and on a chat, and gives all that it holds.
func thePage(ctx context.Context, t *testing.T, w *world) string {
	t.Helper()
	p := openPage(ctx, t, w)
	const all = `document.documentElement.outerHTML + [...document.querySelectorAll('input, textarea')].map(e => e.value).join('\n') + JSON.stringify([{...localStorage}, {...sessionStorage}])`
	do(p, chromedp.Click("#sidebar .models"))
	p.until(`document.querySelectorAll('[data-connection]').length > 40`)
	held := do(p, chromedp.Evaluate[string](all))
	if !strings.Contains(held, "Bypass") {
		t.Error("the page does not say who can read the keys' file")
	}
	return held
}

// theAgentLooks has the agent look for the keys in each mode: in its environment, in
// those of all processes but the host, and in the Harness's own files. The file of the
// keys is asked about in Manual and refused in Plan; Bypass can read it.
func theAgentLooks(ctx context.Context, t *testing.T, w *world) {
	t.Helper()
	home, kept := filepath.Join(w.home.Data, "agent", "home"), filepath.Join(w.home.Data, "keys.json")
	status, err := w.Status(ctx)
	must(t, err)
	environ := fmt.Sprintf("/proc/%d/environ", status.Process.PID)
	// The commands do not match what they look for.
	look := func(what string) string {
		return `{ env; cat $(ls -d /proc/[0-9]*/environ | grep -v '^/proc/` + fmt.Sprint(w.PID()) + `/') /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n'; grep -rao '` + what + `' ` + home + ` 2>/dev/null; } | grep -ac '` + what + `'; `
	}
	command := look("p1anted[7]") + look("env1ron[8][[:alnum:]]*"+thisRun) + `env | grep -ciE 'm5pserv[6]|^[^=]*(key|token|secret|password)'; grep -ac STRATA_ROUTE_KEY= ` + environ + `; echo looked`
	for _, mode := range []string{"manual", "bypass"} {
		c := w.NewChat()
		run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Bash(command), scriptmodel.Say("ran it")), kit.Mode(mode))
		if mode == "manual" {
			must(t, c.Approve(ctx, card(ctx, t, run, "bash", chat.ToolProposed)))
		}
		// No key and nothing of the host's environment, no token in the shell; the Harness has one, of this launch.
		if got := lastCard(t, ended(ctx, t, run)); got.State != chat.ToolDone || !strings.HasPrefix(strings.TrimSpace(got.Result), "0\n0\n0\n1\nlooked") {
			t.Errorf("%s finds: %s %s", mode, got.State, got.Result)
		}
	}
	theProgramsHaveIt(ctx, t, w, status.Process.PID)
	looks := []string{
		scriptmodel.Bash(command), scriptmodel.Bash("env"), scriptmodel.Bash("printenv"), scriptmodel.Bash("cat " + kept), scriptmodel.Bash("cat /proc/self/environ"), scriptmodel.Bash("cat " + environ),
		scriptmodel.Bash("grep -r key " + home), scriptmodel.Call("read", map[string]any{"file_path": kept}), scriptmodel.Call("read", map[string]any{"file_path": environ}),
		scriptmodel.Call("grep", map[string]any{"pattern": "key", "path": w.home.Data}), scriptmodel.Call("read", map[string]any{"file_path": filepath.Join(w.home.Dir, "model.key")}),
	}
	for _, look := range looks {
		got := lastCard(t, play(ctx, t, w.NewChat(), scriptmodel.Steps(look, scriptmodel.Say("x")), kit.Mode("plan")))
		if got.State != chat.ToolDenied {
			t.Errorf("Plan, %s: %+v", look, got)
		}
	}
	var all sync.WaitGroup
	for _, look := range looks[1:] {
		all.Go(func() {
			c := w.NewChat()
			run := send(ctx, t, c, scriptmodel.Steps(look, scriptmodel.Say("x")))
			tool, _, _ := strings.Cut(strings.TrimPrefix(look, "CALL "), " ")
			asked, err := run.Card(ctx, tool, chat.ToolProposed)
			if err != nil {
				t.Errorf("Manual does not ask: %s: %v", look, err)
				return
			}
			if err := c.Deny(ctx, asked, ""); err != nil {
				t.Error(err)
			}
			if frames, err := run.End(ctx); err != nil || lastCard(t, frames).State != chat.ToolDenied {
				t.Errorf("Manual, %s, denied: %v", look, err)
			}
		})
	}
	all.Wait()
	count := lastCard(t, play(ctx, t, w.NewChat(), scriptmodel.Steps(scriptmodel.Bash(`grep -o 'p1anted[7]' `+kept+` | wc -l`), scriptmodel.Say("x")), kit.Mode("bypass"))).Result
	if strings.TrimSpace(count) != "42" {
		t.Errorf("Bypass counts %s keys in their file", count)
	}
}
