package search

import (
	"strings"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/plugins/search/webtext"
	"strata.dev/bridge/proto/abi"
)

// Limits of what a model reads of one result, in characters.
const (
	maxTitle   = 200
	maxSnippet = 600
	maxDate    = 40
	maxWords   = 300 // of what a service says of its refusal
)

// answerOf makes of what a source said what a model reads, in the page's order.
func answerOf(engine string, parsed abi.SearchParsed) abi.SearchAnswer {
	found := abi.SearchAnswer{Engine: engine, Sources: clean(parsed.Results)}
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

// clean is results as a model reads them: on one line each, without what cannot be
// seen, every character text where Markdown is.
func clean(results []abi.SearchResult) []abi.SearchResult {
	out := []abi.SearchResult{}
	for _, r := range results {
		out = append(out, abi.SearchResult{
			Title: webtext.Escape(webtext.Line(r.Title, maxTitle)), URL: webtext.URL(r.URL),
			Snippet: webtext.Escape(webtext.Line(r.Snippet, maxSnippet)), PublishedAt: webtext.Line(r.PublishedAt, maxDate),
		})
	}
	return out
}

// mark makes of what a provider of the Harness's own found what a model may read.
func mark(_ *sdk.Task, in abi.FoundElsewhere) (abi.FoundElsewhere, error) {
	out := abi.FoundElsewhere{Content: webtext.Visible(in.Content), Sources: clean(in.Sources)}
	if out.Content != "" || len(out.Sources) > 0 {
		out.Content = strings.TrimSpace(webtext.Warning + "\n\n" + out.Content)
	}
	return out, nil
}
