package gate

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"strata.dev/bridge/plugins/gate/bash"
	"strata.dev/bridge/plugins/sdk/sdktest"
	"strata.dev/bridge/proto/abi"
)

const line = `cd src 2>/dev/null; grep -rn --include='*.go' "func main" . | head -20 && git log --oneline -5 || echo 'none'`

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		bash.Parse(line)
	}
}

func BenchmarkParse2KB(b *testing.B) {
	long := strings.Repeat("rg -n 'needle' src | head -20; ", 70)[:2047]
	long = long[:strings.LastIndex(long, ";")]
	for b.Loop() {
		bash.Parse(long)
	}
}

// One decision each, over all commands of the corpus in turn.
func BenchmarkDecide(b *testing.B) {
	var calls []abi.GateCall
	for _, r := range corpus(b) {
		calls = append(calls, r.call())
	}
	i := 0
	for b.Loop() {
		Decide(calls[i%len(calls)], abi.GateConfig{})
		i++
	}
	perSecond(b)
}

// perSecond reports how many decisions a second that is: 20,000 are wanted.
func perSecond(b *testing.B) {
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
}

// The same with JSON on both sides, as a host side sees it.
func BenchmarkDecideOp(b *testing.B) {
	d := sdktest.New(b, Plugin, nil)
	var heads [][]byte
	for _, r := range corpus(b) {
		head, err := json.Marshal(r.call())
		if err != nil {
			b.Fatal(err)
		}
		heads = append(heads, head)
	}
	i := 0
	for b.Loop() {
		if err := d.Do("decide", heads[i%len(heads)], nil); err != nil {
			b.Fatal(err)
		}
		i++
	}
	perSecond(b)
}

// A command of 2 KB as a host side puts it: facts, then decide, each call with
// an id of its own.
func BenchmarkDecideOp2KB(b *testing.B) {
	b.Run("one command", func(b *testing.B) {
		decideOps(b, strings.Repeat(`grep -rn "needle in the hay" src/internal/*.go && `, 42)+"ls")
	})
	b.Run("commands of the corpus", func(b *testing.B) { decideOps(b, corpusOf2KB(b)...) })
}

// corpusOf2KB are commands of 2 KB made of those that the corpus allows, each begun
// elsewhere in it.
func corpusOf2KB(tb testing.TB) []string {
	var parts []string
	for _, r := range corpus(tb) {
		// Short ones would be more than fifty.
		if r.Shell == "bash" && r.Expected == abi.Allow && len(r.Command) > 40 && !strings.ContainsAny(r.Command, "|;&\n") {
			parts = append(parts, r.Command)
		}
	}
	all := make([]string, len(parts))
	for first := range parts {
		all[first] = parts[first]
		for i := 1; len(all[first]) <= 2048; i++ {
			all[first] += "; " + parts[(first+i)%len(parts)]
		}
		all[first] = all[first][:strings.LastIndexByte(all[first][:2048], ';')]
	}
	return all
}

func decideOps(b *testing.B, commands ...string) {
	d := sdktest.New(b, Plugin, nil)
	n := 0
	for b.Loop() {
		n++
		call := commanded(commands[n%len(commands)])
		call.CallID, call.Brief = strconv.Itoa(n), true
		head, err := json.Marshal(call)
		if err != nil {
			b.Fatal(err)
		}
		for _, op := range []string{"facts", "decide"} {
			if err := d.Do(op, head, nil); err != nil {
				b.Fatal(err)
			}
		}
	}
}
