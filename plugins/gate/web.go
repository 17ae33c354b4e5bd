package gate

import (
	"cmp"
	"strings"

	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/proto/abi"
)

// Web access is asked about once per chat: a yes holds for the chat and its
// helpers. In Plan and Bypass it runs unasked. Where nobody is there to ask it is a no
// in every mode, unless the person let it be used without a question.

// webShare is the word by which questions about the web share one card.
const webShare = "web"

// search judges web_search.
func search(a arguments, web abi.GateWeb) []finding {
	words := a.words("queries", "query")
	for key := range a.keys() {
		if key != "queries" && key != "query" {
			return one("tool:arguments", reason.Argument, "tool", "web_search", "argument", key)
		}
	}
	if words == "" {
		return one("tool:arguments", reason.BadCall, "tool", "web_search")
	}
	return onWeb("web_search", web, reason.SearchWeb, "words", words, "engine", cmp.Or(web.Engine, "the search service"))
}

// openPage judges web_fetch.
func openPage(a arguments, web abi.GateWeb) []finding {
	address, _ := a.text("url")
	for key := range a.keys() {
		if key != "url" {
			return one("tool:arguments", reason.Argument, "tool", "web_fetch", "argument", key)
		}
	}
	lower := strings.ToLower(address)
	if !strings.HasPrefix(lower, "https://") && !strings.HasPrefix(lower, "http://") {
		return one("tool:arguments", reason.BadCall, "tool", "web_fetch")
	}
	return onWeb("web_fetch", web, reason.OpenPage, "address", address)
}

func onWeb(tool string, web abi.GateWeb, key string, pairs ...string) []finding {
	if web.SkipAsk {
		return []finding{{rule: "web:skip-ask", web: true}}
	}
	f := one("tool:"+tool, key, pairs...)
	f[0].web = true
	return f
}

// closedToTheWeb tells whether a call is refused because it goes to the web and
// nobody is there.
func closedToTheWeb(call abi.GateCall, config abi.GateConfig) bool {
	web := call.Tool == "web_search" || call.Tool == "web_fetch"
	return web && (call.Unattended || config.Unattended) && !config.Web.SkipAsk
}
