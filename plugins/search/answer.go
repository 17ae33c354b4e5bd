package search

import (
	"strings"

	"strata.dev/bridge/plugins/search/webtext"
	"strata.dev/bridge/proto/abi"
)

// Limits of what a model reads of one result, in characters.
const (
	maxTitle   = 200
	maxSnippet = 600
)

// answerOf makes of what a source said what a model reads, in the page's order.
func answerOf(engine string, parsed abi.SearchParsed, notes []string) abi.SearchAnswer {
	found := abi.SearchAnswer{Engine: engine, Sources: []abi.SearchResult{}}
	for _, r := range parsed.Results {
		found.Sources = append(found.Sources, abi.SearchResult{
			Title: webtext.Escape(webtext.Line(r.Title, maxTitle)), URL: webtext.URL(r.URL),
			Snippet: webtext.Escape(webtext.Line(r.Snippet, maxSnippet)), PublishedAt: r.PublishedAt,
		})
	}
	if len(found.Sources) == 0 {
		notes = append(notes, abi.Fill(abi.SaidNothing, "engine", engine))
	} else {
		notes = append(notes, abi.Fill(abi.SaidAnswered, "engine", engine), webtext.Warning)
	}
	if parsed.Suspect {
		notes = append(notes, "None of the results holds a word of the question, so they may have nothing to do with it.")
	}
	if text := webtext.Visible(parsed.Answer); text != "" {
		notes = append(notes, "\n\n"+engine+" says:\n\n"+text)
	}
	found.Content = strings.ReplaceAll(strings.Join(notes, " "), " \n", "\n")
	return found
}
