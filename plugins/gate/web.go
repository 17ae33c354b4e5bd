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

// webTalks are the chats with calls to the web that are being confirmed. What the
// person says to one of them is in the store a moment later: another that looked there
// before does not ask again.
type webTalks map[string]*webTalk

type webTalk struct {
	calls   int
	allowed bool // in this chat, while they last
}

// enter notes one more call of a chat.
func (w webTalks) enter(root string) *webTalk {
	t := w[root]
	if t == nil {
		t = new(webTalk)
		w[root] = t
	}
	t.calls++
	return t
}

// leave notes that one of them is over.
func (w webTalks) leave(root string) {
	if t := w[root]; t != nil {
		if t.calls--; t.calls == 0 {
			delete(w, root)
		}
	}
}
