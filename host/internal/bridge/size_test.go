package bridge

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// tokenizer counts four characters a token, or cannot.
type tokenizer struct{ blind bool }

func (c *tokenizer) Count(_ context.Context, _, text string) (int, bool) {
	return len(text) / 4, !c.blind
}

// Answers of /strata-context.
const (
	fresh    = `{"tokens":9000,"window":0,"source":"estimated","density":1}`
	halfFull = `{"tokens":30000,"window":65536,"source":"measured","density":2,"fixed":9000}`
	unsure   = `{"tokens":30000,"window":65536,"source":"estimated","density":1}`
	nearly   = `{"tokens":58982,"window":65536,"source":"measured","density":2,"fixed":9000}`
	eased    = `{"tokens":24904,"window":65536,"source":"measured","density":2,"fixed":9000}`
	tiny     = `{"tokens":8000,"window":8192,"source":"measured","density":1.2,"fixed":7900}`
)

// TestFits: a message is sent, sent after room was made, or not at all; whoever cannot
// tell lets it through.
func TestFits(t *testing.T) {
	log := func(tokens int) string { return "say " + strings.Repeat("x", 4*tokens) }
	sent := []string{"queued", "start", "delta", "context", "done"}
	never := []string{"queued", "error CONTEXT_MESSAGE_TOO_LARGE"}
	for name, tt := range map[string]struct {
		size    string
		counter Counter
		text    string
		want    []string // the kinds of frames, with the codes of errors
		compact int
	}{
		"it fits":                         {halfFull, &tokenizer{}, log(20_000), sent, 0},
		"a short one is not counted":      {halfFull, nil, "say hi", sent, 0},
		"room is made first":              {nearly, &tokenizer{}, log(20_000), []string{"queued", "status", "start", "delta", "context", "done"}, 1},
		"it never fits":                   {halfFull, &tokenizer{}, log(60_000), never, 0},
		"reckoned, since nobody counts":   {halfFull, &tokenizer{blind: true}, log(30_000), never, 0},
		"nobody counts and none was told": {unsure, &tokenizer{blind: true}, log(60_000), sent, 0},
		"a new chat":                      {fresh, &tokenizer{}, log(250_000), never, 0},
		"without the plugin":              {"", &tokenizer{}, log(250_000), sent, 0},
		"a goal that never fits":          {halfFull, &tokenizer{}, "/goal " + log(60_000), never, 0},
		"a goal's new text":               {halfFull, &tokenizer{}, "/goal edit " + log(60_000), never, 0},
		"a plan of it":                    {halfFull, &tokenizer{}, "/plan " + log(60_000), never, 0},
		"instructions fill the window":    {tiny, nil, "say hi", []string{"queued", "error CONTEXT_WINDOW_EXCEEDED"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(s *stage) {
				if tt.size != "" {
					s.d.sizes = []string{tt.size}
				}
				s.d.commands = map[string]gateway.CommandResult{"compact": {Found: true, OK: true, Text: "Compacted 8 history items."}}
				s.b.o.Counter = tt.counter
				frames := s.run("c1", tt.text)
				var got []string
				for _, f := range frames {
					kind := strings.TrimSpace(string(f.Type) + " " + string(f.Code))
					if len(got) == 0 || got[len(got)-1] != kind {
						got = append(got, kind)
					}
				}
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
				if n := s.d.count("/compact"); n != tt.compact {
					t.Errorf("%d times room was made", n)
				}
				last := frames[len(frames)-1]
				actions := map[chat.Code][]string{chat.CodeMessageTooLarge: {"attach-as-file", "send-preview"}, chat.CodeContextFull: {"choose-model"}}[last.Code]
				if d := cmp.Diff(actions, last.Actions); d != "" {
					t.Errorf("actions (-want +got):\n%s", d)
				}
				if sent := s.d.count("Prompt"); (sent == 1) != (last.Type == chat.Done) {
					t.Errorf("%d messages reached the agent", sent)
				}
			})
		})
	}
}

// TestCompactTellsFigures: the plain answer to /compact, and the meter with it.
func TestCompactTellsFigures(t *testing.T) {
	for name, tt := range map[string]struct {
		sizes []string // before and after
		says  string
		want  string
	}{
		"room was made":            {[]string{nearly, eased}, "Compacted 8 history items (~20000 tokens).", "The chat was 90% full and is now 38% full."},
		"nothing older":            {[]string{eased}, nothingYet, say.NothingToSummarize},
		"the newest message fills": {[]string{nearly}, nothingYet, "There is nothing older to summarize: the newest message is what fills this chat (90%). Start a new chat, or attach long text as a file."},
		"without the plugin":       {nil, "Compacted 8 history items.", say.Compacted},
		"and nothing older":        {nil, nothingYet, say.NothingToSummarize},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(s *stage) {
				s.d.commands = map[string]gateway.CommandResult{"compact": {Found: true, OK: true, Text: tt.says}}
				s.run("c1", "say hi")
				s.d.sizes = tt.sizes
				var own []string
				meter := 0
				for _, f := range s.run("c1", "/compact") {
					switch {
					case f.Own:
						own = append(own, f.Text)
					case f.Type == chat.ContextUse:
						meter = f.Context.Percent
					}
				}
				if d := cmp.Diff([]string{tt.want}, own); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
				if (meter > 0) != (len(tt.sizes) > 0) {
					t.Errorf("the meter shows %d%%", meter)
				}
			})
		})
	}
}

// TestARefusalThatNoRoomHelps says what does: another model, or the message as a file. The
// engine's words are under details.
func TestARefusalThatNoRoomHelps(t *testing.T) {
	const itself = `{"tokens":70000,"window":65536,"source":"estimated","density":1.5,"fixed":9000}`
	for name, tt := range map[string]struct {
		after string
		key   string
		want  []string
	}{
		"instructions fill the window":     {tiny, say.WindowTooSmall, []string{"choose-model"}},
		"they pass the threshold":          {narrow, say.WindowTooSmall, []string{"choose-model"}},
		"the message itself fills it":      {itself, say.MessageRefused, []string{"attach-as-file", "send-preview"}},
		"and the window is small":          {strings.Replace(itself, "65536", "12288", 1), say.MessageRefused, []string{"choose-model", "attach-as-file", "send-preview"}},
		"there is room, but not in a turn": {eased, say.ContextOverflows, []string{"summarize", "new-chat"}},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(s *stage) {
				s.d.sizes = []string{fresh, tt.after}
				s.d.commands = map[string]gateway.CommandResult{"compact": {Found: true, OK: true, Text: nothingYet}}
				frames := s.run("c1", strings.Repeat("say a lot; ", 1000)+"fail CONTEXT_WINDOW_EXCEEDED")
				last := frames[len(frames)-1]
				if last.Key != tt.key || !strings.Contains(last.Details, "CONTEXT_WINDOW_EXCEEDED") || cmp.Diff(tt.want, last.Actions) != "" {
					t.Errorf("it ends with %+v", last)
				}
			})
		})
	}
}

// TestALittleTextThatNoRoomHelps: neither a file nor a preview of it would change that.
func TestALittleTextThatNoRoomHelps(t *testing.T) {
	for key, with := range map[string][]chat.Attachment{
		say.ContextFull:      nil,
		say.PicturesTooLarge: {{Name: "a.png", MediaType: "image/png", Data: picture(t, 2, 3)}},
	} {
		play(t, func(s *stage) {
			s.d.sizes = []string{fresh, `{"tokens":70000,"window":65536,"source":"estimated","density":8,"fixed":9000}`}
			s.d.commands = map[string]gateway.CommandResult{"compact": {Found: true, OK: true, Text: nothingYet}}
			req := s.message("c1", "fail CONTEXT_WINDOW_EXCEEDED")
			req.Model, req.Attachments = "p/eyes", with
			frames := s.rest(s.post(req))
			last := frames[len(frames)-1]
			if last.Key != key || cmp.Diff([]string{"choose-model", "new-chat"}, last.Actions) != "" {
				t.Errorf("it ends with %+v", last)
			}
		})
	}
}

// TestOversize keeps a text in the chat's folder, where the agent reads it, or shortens it.
func TestOversize(t *testing.T) {
	play(t, func(s *stage) {
		text := "What is wrong here?\n" + strings.Repeat("2026-11-30 ERROR exit code 137\n", 8000)
		for range 2 { // the same text is kept once
			got, err := s.b.Oversize(t.Context(), chat.OversizeRequest{ChatID: "c1", Text: text, As: chat.OversizeFile})
			if err != nil || !strings.HasPrefix(got.Path, ".strata/attached/message-") || !strings.Contains(got.Text, got.Path) || !strings.Contains(got.Text, "What is wrong here?") {
				t.Fatalf("%+v, %v", got, err)
			}
			data, err := os.ReadFile(filepath.Join(s.b.o.Workspace, got.Path))
			if err != nil || string(data) != text {
				t.Errorf("the file has %d characters, %v", len(data), err)
			}
		}
		ignored, err := os.ReadFile(filepath.Join(s.b.o.Workspace, ".strata", ".gitignore"))
		if err != nil || string(ignored) != "*\n" {
			t.Errorf(".gitignore: %q, %v", ignored, err)
		}
		got, err := s.b.Oversize(t.Context(), chat.OversizeRequest{ChatID: "c1", Text: text, As: chat.OversizePreview})
		if err != nil || got.Path != "" || len(got.Text) > len(text)/4 || !strings.HasPrefix(got.Text, "What is wrong here?") {
			t.Errorf("preview: %d characters, %v", len(got.Text), err)
		}
		for _, bad := range []chat.OversizeRequest{{ChatID: "c1", Text: "x"}, {ChatID: "c1", As: "file"}, {Text: "x", As: "file"}, {ChatID: "c1", Text: "x", As: "both"}} {
			var e *chat.Error
			if _, err := s.b.Oversize(t.Context(), bad); !errors.As(err, &e) || e.Code != chat.CodeBadRequest {
				t.Errorf("%+v: %v", bad, err)
			}
		}
	})
}

// TestOversizeOfARefusedFirstMessage: its file is in the folder that it was for.
func TestOversizeOfARefusedFirstMessage(t *testing.T) {
	folder := t.TempDir()
	play(t, func(s *stage) {
		s.d.sizes = []string{fresh}
		s.b.o.Counter = &tokenizer{}
		req := s.message("c1", "say "+strings.Repeat("x", 1_000_000))
		req.CWD = folder
		s.expect(s.rest(s.post(req)), "queued", "error CONTEXT_MESSAGE_TOO_LARGE")
		synctest.Wait() // the run is over, and the chat has none
		got, err := s.b.Oversize(t.Context(), chat.OversizeRequest{ChatID: "c1", Text: req.Text, As: chat.OversizeFile})
		if err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(filepath.Join(folder, got.Path)); err != nil || string(data) != req.Text {
			t.Errorf("the file has %d characters, %v", len(data), err)
		}
		if entries, err := os.ReadDir(s.b.o.Workspace); err != nil || len(entries) != 0 {
			t.Errorf("%v, %v were written elsewhere", entries, err)
		}
	})
}

// TestOversizeIsTheText, whatever became of its file since.
func TestOversizeIsTheText(t *testing.T) {
	play(t, func(s *stage) {
		req := chat.OversizeRequest{ChatID: "c1", Text: "a long text", As: chat.OversizeFile}
		first, err := s.b.Oversize(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(s.b.o.Workspace, first.Path)
		for _, other := range []string{"", "a long", "A LONG TEXT"} {
			if err := os.WriteFile(name, []byte(other), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := s.b.Oversize(t.Context(), req)
			if data, readErr := os.ReadFile(name); err != nil || readErr != nil || got != first || string(data) != req.Text {
				t.Errorf("%q became %q, %v, %v", other, data, err, readErr)
			}
		}
		if entries, err := os.ReadDir(filepath.Dir(name)); err != nil || len(entries) != 1 {
			t.Errorf("%v, %v are left", entries, err)
		}
	})
}

// TestOversizeKeepsACommand: what stands for a long text is the text of its command.
func TestOversizeKeepsACommand(t *testing.T) {
	play(t, func(s *stage) {
		long := strings.Repeat("2026-11-30 ERROR exit code 137\n", 8000)
		for text, want := range map[string]string{"/goal " + long: "/goal I attached", "/goal edit " + long: "/goal edit I attached", "/Plan\n" + long: "/plan I attached", "/usr/bin/env\n" + long: "I attached"} {
			got, err := s.b.Oversize(t.Context(), chat.OversizeRequest{ChatID: "c1", Text: text, As: chat.OversizeFile})
			if err != nil || !strings.HasPrefix(got.Text, want) {
				t.Errorf("%.20q: %.60q, %v", text, got.Text, err)
			}
			data, err := os.ReadFile(filepath.Join(s.b.o.Workspace, got.Path))
			if err != nil || strings.HasPrefix(text, "/usr") != strings.HasPrefix(string(data), "/") {
				t.Errorf("%.20q: the file begins %.20q, %v", text, data, err)
			}
			got, err = s.b.Oversize(t.Context(), chat.OversizeRequest{ChatID: "c1", Text: text, As: chat.OversizePreview})
			if first, _, _ := strings.Cut(want, "I attached"); err != nil || !strings.HasPrefix(got.Text, first) || len(got.Text) > len(text)/4 {
				t.Errorf("%.20q: %.60q, %v", text, got.Text, err)
			}
		}
	})
}

// TestOversizeFollowsNoLink out of the chat's folder.
func TestOversizeFollowsNoLink(t *testing.T) {
	away := t.TempDir()
	play(t, func(s *stage) {
		if err := os.Symlink(away, filepath.Join(s.b.o.Workspace, ".strata")); err != nil {
			t.Fatal(err)
		}
		_, err := s.b.Oversize(t.Context(), chat.OversizeRequest{ChatID: "c1", Text: "long", As: chat.OversizeFile})
		var e *chat.Error
		if !errors.As(err, &e) || e.Key != say.NotAttached {
			t.Errorf("%v", err)
		}
		if entries, err := os.ReadDir(away); err != nil || len(entries) != 0 {
			t.Errorf("%v, %v were written elsewhere", entries, err)
		}
	})
}
