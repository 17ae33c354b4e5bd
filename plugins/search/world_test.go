package search

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/plugins/sdk/sdktest"
	"strata.dev/bridge/proto/abi"
)

// world is a web, a clock and a store for tests. Its clock stands still but for
// what is waited for.
type world struct {
	t     testing.TB
	now   time.Time
	start time.Time
	rand  *rand.Rand
	store map[string][]byte
	// serve answers a request, by its host, and says how long that took.
	serve func(host string, r abi.FetchRequest, body string) reply
	// Asked are the requests: when, of whom, with which words.
	Asked []string
	due   map[*sdktest.Effect]time.Time
	reply map[*sdktest.Effect]reply
}

// reply is what a server does.
type reply struct {
	status  int
	headers map[string]string
	body    string
	takes   time.Duration
	err     *abi.EffectError
}

func newWorld(t testing.TB) *world {
	start := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	return &world{
		t: t, now: start, start: start, rand: rand.New(rand.NewPCG(1, 2)), store: map[string][]byte{},
		due: map[*sdktest.Effect]time.Time{}, reply: map[*sdktest.Effect]reply{},
		serve: func(host string, _ abi.FetchRequest, _ string) reply { return good(host) },
	}
}

// plugin is a fresh instance in this world.
func (w *world) plugin(config abi.SearchConfig) *sdktest.Driver {
	d := sdktest.New(w.t, Plugin, config)
	d.Clock = func() uint64 { return uint64(w.now.UnixMilli()) }
	d.Rand = w.rand.Uint64
	return d
}

// search runs one search to its end.
func (w *world) search(d *sdktest.Driver, query string) *sdktest.Call {
	c := d.Start("search", abi.SearchRequest{Query: query}, nil)
	w.run(c)
	return c
}

// run goes on until all calls are over.
func (w *world) run(calls ...*sdktest.Call) {
	w.t.Helper()
	for steps := 0; ; steps++ {
		if steps > 10_000 {
			w.t.Fatal("the calls do not end")
		}
		var next *sdktest.Effect
		var of *sdktest.Call
		for _, c := range calls {
			if c.Status != sdk.Waiting {
				continue
			}
			for _, e := range c.Effects() {
				w.begin(e)
				if next == nil || w.due[e].Before(w.due[next]) {
					next, of = e, c
				}
			}
		}
		if next == nil {
			return
		}
		if w.due[next].After(w.now) {
			w.now = w.due[next]
		}
		w.answer(of, next)
	}
}

// begin says when an effect will be over.
func (w *world) begin(e *sdktest.Effect) {
	if _, known := w.due[e]; known {
		return
	}
	w.due[e] = w.now
	switch e.Kind {
	case abi.EffectSleep:
		var q abi.SleepRequest
		w.decode(e.Head, &q)
		w.due[e] = w.now.Add(time.Duration(q.Ms) * time.Millisecond)
	case abi.EffectFetch:
		var q abi.FetchRequest
		w.decode(e.Head, &q)
		u, err := url.Parse(q.URL)
		if err != nil {
			w.t.Fatal(err)
		}
		words := u.Query().Get("q")
		if form, err := url.ParseQuery(string(e.Body)); err == nil && words == "" {
			words = form.Get("q")
		}
		w.Asked = append(w.Asked, fmt.Sprintf("%s %s%s %s", w.now.Sub(w.start), u.Host, u.Path, words))
		r := w.serve(u.Host, q, string(e.Body))
		w.reply[e] = r
		w.due[e] = w.now.Add(r.takes)
	}
}

func (w *world) answer(c *sdktest.Call, e *sdktest.Effect) {
	var key abi.StoreKey
	switch e.Kind {
	case abi.EffectStoreGet:
		w.decode(e.Head, &key)
		if b, there := w.store[key.Name]; there {
			c.Answer(e, nil, b)
		} else {
			c.Refuse(e, abi.CodeNotFound, "none")
		}
	case abi.EffectStorePut:
		w.decode(e.Head, &key)
		w.store[key.Name] = e.Body
		c.Answer(e, nil, nil)
	case abi.EffectFetch:
		r := w.reply[e]
		if r.err != nil {
			c.Refuse(e, r.err.Code, r.err.Message)
			return
		}
		c.Answer(e, abi.FetchAnswer{Status: r.status, Headers: r.headers}, []byte(r.body))
	default:
		c.Answer(e, nil, nil)
	}
}

func (w *world) decode(head []byte, into any) {
	if err := json.Unmarshal(head, into); err != nil {
		w.t.Fatal(err)
	}
}

// hosts are those that were asked, in order.
func (w *world) hosts() (all []string) {
	for _, line := range w.Asked {
		all = append(all, strings.SplitN(strings.Fields(line)[1], "/", 2)[0])
	}
	return all
}

// found is a search's answer.
func found(t testing.TB, c *sdktest.Call) (a abi.SearchAnswer) {
	t.Helper()
	if c.Err != nil {
		t.Fatalf("the search failed: %v", c.Err)
	}
	if err := json.Unmarshal(c.Head, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

var html = map[string]string{"content-type": "text/html; charset=utf-8"}

// good is a page with one result, in the layout of its host.
func good(host string) reply {
	body := `<div class="result"><a class="result__a" href="https://one.example/">The question's words</a><a class="result__snippet">From ` + host + `</a></div>`
	switch host {
	case "www.bing.com":
		body = `<ol id="b_results"><li class="b_algo"><h2><a href="https://one.example/">The question's words</a></h2><div class="b_caption"><p>From bing</p></div></li></ol>`
	case "lite.duckduckgo.com":
		body = `<table><tr><td><a class="result-link" href="https://lite.example/">The question's words</a></td></tr></table>`
	}
	return reply{status: 200, headers: html, body: body}
}

func challenge(string) reply {
	return reply{status: 202, headers: html, body: `<form id="challenge-form" action="//duckduckgo.com/anomaly.js?x"></form>`}
}
