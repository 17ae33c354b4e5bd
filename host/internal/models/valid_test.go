package models

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/chat"
)

// sentence is the beginning of what a refusal says, to its first colon or full stop.
func sentence(err error) string {
	var e *chat.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Text[:strings.IndexAny(e.Text, ":.")]
}

// What is said of a model is looked at in the same way wherever it is said: for a saved
// connection, for one that is only tried, and for an engine of the desktop.
func TestWhatIsSaidIsChecked(t *testing.T) {
	w := open(t, t.TempDir())
	const (
		at      = "http://127.0.0.1:9/v1"
		name    = "This name cannot be used"
		model   = "This cannot be a model's id"
		address = "The address cannot be used"
		window  = "The context window of m cannot be right"
		slots   = "The number of requests at once cannot be right"
	)
	for what, tt := range map[string]struct {
		say  chat.LocalSpec
		want string
	}{
		"all right":                 {chat.LocalSpec{BaseURL: " " + at + "/ ", Model: " org/m:q4_K@x ", Name: " Größe 模型 می\u200cخواهم 👩\u200d💻 ", ContextWindow: maxWindow, Slots: maxSlots}, ""},
		"no model":                  {chat.LocalSpec{BaseURL: at, Model: " "}, model},
		"a space in it":             {chat.LocalSpec{BaseURL: at, Model: "a b"}, model},
		"a line in it":              {chat.LocalSpec{BaseURL: at, Model: "a\nb"}, model},
		"an escape in it":           {chat.LocalSpec{BaseURL: at, Model: "a\x1b[2J"}, model},
		"a turn of direction":       {chat.LocalSpec{BaseURL: at, Model: "a\u202eb"}, model},
		"a space of no width":       {chat.LocalSpec{BaseURL: at, Model: "a\u200bb"}, model},
		"a hard space":              {chat.LocalSpec{BaseURL: at, Model: "a\u00a0b"}, model},
		"a long one":                {chat.LocalSpec{BaseURL: at, Model: strings.Repeat("m", maxModelID+1)}, model},
		"a name with a line":        {chat.LocalSpec{BaseURL: at, Model: "m", Name: "a\r\nb"}, name},
		"a name that turns":         {chat.LocalSpec{BaseURL: at, Model: "m", Name: "a\u202eb"}, name},
		"a name with a null":        {chat.LocalSpec{BaseURL: at, Model: "m", Name: "a\x00b"}, name},
		"a long name":               {chat.LocalSpec{BaseURL: at, Model: "m", Name: strings.Repeat("模", maxName+1)}, name},
		"no address":                {chat.LocalSpec{Model: "m"}, address},
		"a file":                    {chat.LocalSpec{BaseURL: "file:///etc/passwd", Model: "m"}, address},
		"a password":                {chat.LocalSpec{BaseURL: "http://u:" + secret + "@h/v1", Model: "m"}, address},
		"a name without a password": {chat.LocalSpec{BaseURL: "http://" + secret + "@h/v1", Model: "m"}, address},
		"a query":                   {chat.LocalSpec{BaseURL: "http://h/v1?key=" + secret, Model: "m"}, address},
		"an empty query":            {chat.LocalSpec{BaseURL: "http://h/v1?", Model: "m"}, address},
		"a fragment":                {chat.LocalSpec{BaseURL: "http://h/v1#" + secret, Model: "m"}, address},
		"a line in the address":     {chat.LocalSpec{BaseURL: "http://h/\r\nX: y", Model: "m"}, address},
		"a space in the server":     {chat.LocalSpec{BaseURL: "http://h h/v1", Model: "m"}, address},
		"no port like that":         {chat.LocalSpec{BaseURL: "http://h:99999/v1", Model: "m"}, address},
		"port 0":                    {chat.LocalSpec{BaseURL: "http://h:0/v1", Model: "m"}, address},
		"a colon and no port":       {chat.LocalSpec{BaseURL: "http://h:/v1", Model: "m"}, address},
		"an endless address":        {chat.LocalSpec{BaseURL: "http://h/" + strings.Repeat("v", 3000), Model: "m"}, address},
		"a window below none":       {chat.LocalSpec{BaseURL: at, Model: "m", ContextWindow: -1}, window},
		"a window beyond all":       {chat.LocalSpec{BaseURL: at, Model: "m", ContextWindow: maxWindow + 1}, window},
		"slots below none":          {chat.LocalSpec{BaseURL: at, Model: "m", Slots: -1}, slots},
		"more slots than there are": {chat.LocalSpec{BaseURL: at, Model: "m", Slots: maxSlots + 1}, slots},
		"a network card's name":     {chat.LocalSpec{BaseURL: "http://[::1%25eth0]:80/v1", Model: "m"}, address},
	} {
		saved := chat.ConnectionSpec{Kind: chat.KindLocal, Name: tt.say.Name, BaseURL: tt.say.BaseURL, Slots: tt.say.Slots,
			Models: []chat.ModelSpec{{ID: tt.say.Model, Name: tt.say.Name, ContextWindow: tt.say.ContextWindow}}}
		_, local := w.PutLocal(t.Context(), "e1", tt.say)
		_, added := w.Add(t.Context(), saved)
		_, tried := w.Try(t.Context(), saved)
		for how, err := range map[string]error{"put": local, "added": added, "tried": tried} {
			if got := sentence(err); got != tt.want {
				t.Errorf("%s, %s: %q (%v), want %q", what, how, got, err, tt.want)
			}
			if err != nil && (strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "parse")) {
				t.Errorf("%s, %s: the refusal quotes it: %v", what, how, err)
			}
		}
	}
	got := map[string]string{}
	for _, id := range []string{"", "../x", "A", "a b", "a--b", "-a", "a_b", "é", strings.Repeat("a", maxEngineID+1), strings.Repeat("a", maxEngineID), "7f-3"} {
		_, err := w.PutLocal(t.Context(), id, chat.LocalSpec{BaseURL: at, Model: "m"})
		if got[sentence(err)] += id + " "; err == nil {
			if err := w.DropLocal(id); err != nil {
				t.Error(err)
			}
		}
	}
	want := map[string]string{
		"This cannot be an engine's id": " ../x A a b a--b -a a_b é " + strings.Repeat("a", maxEngineID+1) + " ", "": strings.Repeat("a", maxEngineID) + " 7f-3 ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
	_, err := w.Add(t.Context(), chat.ConnectionSpec{Kind: chat.ModelKind(secret)})
	if got := sentence(err); got != "Choose what kind of connection it is" || strings.Contains(err.Error(), secret) {
		t.Errorf("a kind that there is not: %v", err)
	}
	_, err = w.Add(t.Context(), chat.ConnectionSpec{Kind: chat.KindOpenAI, Models: make([]chat.ModelSpec, maxModels+1)})
	if got := sentence(err); got != "A connection has at most 500 models" {
		t.Errorf("too many models: %v", err)
	}
}

// There is an end to how many engines the desktop may tell of.
func TestMostEngines(t *testing.T) {
	w := open(t, t.TempDir())
	spec := chat.LocalSpec{BaseURL: "http://127.0.0.1:9", Model: "m"}
	for i := range maxConnections {
		if _, err := w.PutLocal(t.Context(), strings.Repeat("a", i%8+1)+"-"+string(rune('a'+i/8)), spec); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.PutLocal(t.Context(), "one-more", spec); code(err) != chat.CodeTooMany {
		t.Errorf("one more: %v", err)
	}
	if _, err := w.PutLocal(t.Context(), "a-a", spec); err != nil {
		t.Errorf("one of them again: %v", err)
	}
}
