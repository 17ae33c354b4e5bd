package project

import (
	"regexp"
	"slices"
	"strings"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
)

// The Harness's tools for the web.
const (
	searchTool = "web_search"
	pageTool   = "web_fetch"
)

// searchSaid are the search plugin's sentences of a search that failed, with how they
// look once they are filled in.
var searchSaid = templates(say.SearchLimited, say.SearchUnreachable, say.SearchKeyRefused, say.SearchCredit,
	say.SearchKeyLimited, say.SearchQuestion, say.SearchDown, say.SearchUnreadable)

// Who answered a search, and who was to: the plugin begins what it found with that. Its
// names are ours, so that no page can put another one there.
var (
	answeredBy = templates(abi.SaidAnswered, abi.SaidNothing)
	withoutKey = templates(say.SearchNoKey)
)

// template is a sentence as it looks in a text.
type template struct {
	key    string
	places []string
	looks  *regexp.Regexp
}

func templates(keys ...string) []template {
	var names []string
	for _, s := range abi.SearchServices {
		names = append(names, regexp.QuoteMeta(s.Name))
	}
	service := "(" + strings.Join(append(names, abi.SecondEngine), "|") + ")"
	fills := strings.NewReplacer(`\{service\}`, service, `\{engine\}`, service, `\{seconds\}`, `(\d{1,6})`)
	var out []template
	for _, key := range keys {
		out = append(out, template{key, say.Places(key), regexp.MustCompile(fills.Replace(regexp.QuoteMeta(key)))})
	}
	return out
}

// find gives the sentence that stands in text.
func find(all []template, text string) (s chat.Sentence, ok bool) {
	for _, t := range all {
		m := t.looks.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		var args []string
		for i, name := range t.places {
			args = append(args, name, m[i+1])
		}
		return say.Sentence(t.key, args...), true
	}
	return chat.Sentence{}, false
}

// pageFailures are the Harness's codes of a page that was not read.
var pageFailures = map[string]string{
	"WEB_INVALID_URL":              say.PageInvalid,
	"WEB_BLOCKED_URL":              say.PageBlocked,
	"WEB_REDIRECT_BLOCKED":         say.PageMoved,
	"WEB_FETCH_TIMEOUT":            say.PageSlow,
	"WEB_UNSUPPORTED_CONTENT_TYPE": say.PageNoText,
	"WEB_PROVIDER_ERROR":           say.PageUnreached,
}

// webFailure is what a person reads of a call to the web that failed; ok is false where
// nothing better is known than of any tool.
func webFailure(tool, code, text string) (s chat.Sentence, ok bool) {
	switch tool {
	case searchTool:
		return find(searchSaid, text)
	case pageTool:
		key, ok := pageFailures[code]
		return say.Sentence(key), ok
	}
	return chat.Sentence{}, false
}

// searched notes on a card who answered its search, and gives what is to be said where
// that is not who was chosen.
func (c *card) searched(text string) (note chat.Sentence, ok bool) {
	if c.tool.Name != searchTool {
		return chat.Sentence{}, false
	}
	var engines []string
	// One paragraph per question begins so; what a page says stands further down.
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if s, ok := find(answeredBy, firstLine(paragraph)); ok && !slices.Contains(engines, s.Args["engine"]) {
			engines = append(engines, s.Args["engine"])
		}
	}
	if len(engines) == 0 && c.engine != "" {
		engines = append(engines, c.engine)
	}
	if len(engines) > 0 {
		if words := argument(c.tool.Input, "queries"); words != "" {
			c.tool = titled(c.tool, cut(say.Sentence(say.TitleWebBy, "engine", strings.Join(engines, ", "), "what", clipTitle(words))))
		}
	}
	return find(withoutKey, text)
}

// stockSearch takes in that the Harness's own search has asked DeepSeek. Which of the
// running searches it was the log does not say: one setting holds for all.
func (f *Fold) stockSearch() {
	service, _ := abi.FindSearchService(abi.ServiceDeepSeek)
	for _, c := range f.cards {
		if c.tool.Name == searchTool {
			c.engine = service.Name
		}
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
