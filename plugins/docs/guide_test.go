// Package docs holds the author's guide. Its code blocks are parts of this file.
package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/plugins/sdk/sdktest"
	"strata.dev/bridge/proto/abi"
)

var table = []abi.Op{
	{Name: "greet", Sync: true},
	{Name: "fetchAll", DeadlineMs: 30_000, Effects: []string{abi.EffectFetch, abi.EffectSleep}},
}

var Greeter = sdk.Plugin{Name: "greeter", Table: table, New: func() sdk.Instance {
	g := &greeter{}
	return sdk.Instance{
		Init: sdk.Config(g.configure),
		Ops:  sdk.Ops{"greet": sdk.Op(g.greet), "fetchAll": sdk.Op(fetchAll)},
	}
}}

type greeter struct{ word string }

func (g *greeter) configure(c struct{ Word string }) error {
	if c.Word == "" {
		return sdk.Errorf("bad-config", "The greeter needs a word.")
	}
	g.word = c.Word
	return nil
}

type person struct {
	Name string `json:"name"`
}

func (g *greeter) greet(_ *sdk.Task, p person) (string, error) {
	return g.word + ", " + p.Name, nil
}

func fetchAll(t *sdk.Task, urls []string) ([]int, error) {
	statuses := make([]int, len(urls))
	g := t.Group()
	for i, url := range urls {
		g.Go(func() error {
			answer, _, err := sdk.Fetch(t, abi.FetchRequest{URL: url}, nil)
			if sdk.Code(err) == abi.CodeDeadline { // once more, a little later
				if err = sdk.Sleep(t, time.Second); err == nil {
					answer, _, err = sdk.Fetch(t, abi.FetchRequest{URL: url}, nil)
				}
			}
			statuses[i] = answer.Status
			return err
		})
	}
	return statuses, g.Wait()
}

func TestGreet(t *testing.T) {
	d := sdktest.New(t, Greeter, map[string]string{"word": "Hello"})
	var got string
	if err := d.Do("greet", person{"Ada"}, &got); err != nil || got != "Hello, Ada" {
		t.Errorf("greet: %q, %v", got, err)
	}
	if _, err := sdktest.Start(t, Greeter, nil); err == nil || err.Error() != "bad-config: The greeter needs a word." {
		t.Errorf("init without a word: %v", err)
	}
}

func TestFetchAll(t *testing.T) {
	d := sdktest.New(t, Greeter, map[string]string{"word": "Hello"})
	c := d.Start("fetchAll", []string{"https://a.invalid/"}, nil)
	c.Refuse(c.Effects()[0], abi.CodeDeadline, "The server did not answer.")
	c.Answer(c.Effects()[0], nil, nil) // the sleep
	c.Answer(c.Effects()[0], abi.FetchAnswer{Status: 204}, nil)
	if string(c.Head) != "[204]" {
		t.Errorf("answer: %s, %v", c.Head, c.Err)
	}
}

// The guide shows this file's code, word for word.
func TestTheGuideShowsThisCode(t *testing.T) {
	guide, err := os.ReadFile("guide.md")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("guide_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(guide, -1)
	if len(blocks) < 4 {
		t.Fatalf("only %d blocks of code", len(blocks))
	}
	for _, block := range blocks {
		if !strings.Contains(string(code), string(block[1])) {
			t.Errorf("not in guide_test.go:\n%s", block[1])
		}
	}
}
