package gate

import "strata.dev/bridge/proto/abi"

// maxNoes is after how many noes in a row to the same thing nobody is asked again.
const maxNoes = 3

// Bounds of what is remembered: chats, and things that a chat was told no about.
const (
	maxNoChats  = 256
	maxNoThings = 256
)

// noes counts how often the person said no to the same thing since they last
// wrote. It lives as long as the instance: what is forgotten is asked again.
type noes map[string]*chatNoes // by root session

type chatNoes struct {
	said   int64
	things map[string]int
}

// thing is what counts as the same: the tool and what it is given, or the web.
func thing(call abi.GateCall, web bool) string {
	if web {
		return webShare
	}
	return abi.Digest("", "", "", call.Tool, call.Arguments)
}

// over tells whether the person said no often enough.
func (n noes) over(call abi.GateCall, thing string) bool {
	c := n[call.Root]
	return c != nil && c.said == call.Said && c.things[thing] >= maxNoes
}

// answered takes an answer in: a yes forgets the noes.
func (n noes) answered(call abi.GateCall, thing string, yes bool) {
	c := n[call.Root]
	if c == nil || c.said != call.Said {
		if yes {
			return
		}
		if len(n) >= maxNoChats {
			clear(n)
		}
		c = &chatNoes{said: call.Said, things: map[string]int{}}
		n[call.Root] = c
	}
	if yes {
		delete(c.things, thing)
		return
	}
	if len(c.things) >= maxNoThings {
		clear(c.things)
	}
	c.things[thing]++
}
