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
	maxWords   = 300 // of what a service says of its refusal
)

// answerOf makes of what a source said what a model reads, in the page's order.
func answerOf(engine string, parsed abi.SearchParsed) abi.SearchAnswer {
	found := abi.SearchAnswer{Engine: engine, Sources: []abi.SearchResult{}}
	for _, r := range parsed.Results {
		found.Sources = append(found.Sources, abi.SearchResult{
			Title: webtext.Escape(webtext.Line(r.Title, maxTitle)), URL: webtext.URL(r.URL),
			Snippet: webtext.Escape(webtext.Line(r.Snippet, maxSnippet)), PublishedAt: r.PublishedAt,
		})
	}
	said := abi.SaidAnswered
	if len(found.Sources) == 0 {
		said = abi.SaidNothing
	}
	notes := []string{abi.Fill(said, "engine", engine)}
	text := webtext.Visible(parsed.Answer)
	if len(found.Sources) > 0 || text != "" {
		notes = append(notes, webtext.Warning)
	}
	if parsed.Suspect {
		notes = append(notes, "None of the results holds a word of the question, so they may have nothing to do with it.")
	}
	if text != "" {
		notes = append(notes, "\n\n"+engine+" says:\n\n"+text)
	}
	found.Content = strings.ReplaceAll(strings.Join(notes, " "), " \n", "\n")
	return found
}
