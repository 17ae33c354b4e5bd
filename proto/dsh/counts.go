package dsh

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"
)

// What a Skip was.
const (
	SkipType  = "type"  // an event type, projection key or frame that is not read
	SkipField = "field" // a field that is not read
	SkipWrong = "wrong" // a value that does not fit its type
)

// maxSkips bounds how many different names are kept: names come from the other
// side. What is beyond it is counted under the name "…".
const maxSkips = 1000

// Skip is a thing that was left out, and how often.
type Skip struct {
	Kind string
	Name string // such as "assistant/message.message.source.replayState"
	N    int64
}

// Counts counts what was left out. The zero value is ready; it may be used from
// many goroutines.
type Counts struct {
	mu sync.Mutex
	n  map[Skip]int64 // key has N 0
}

// Add counts one more of kind and name.
func (c *Counts) Add(kind, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[Skip]int64{}
	}
	key := Skip{Kind: kind, Name: name}
	if _, known := c.n[key]; !known && len(c.n) >= maxSkips {
		key.Name = "…"
	}
	c.n[key]++
}

// List gives the counts by kind and name.
func (c *Counts) List() []Skip {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]Skip, 0, len(c.n))
	for s, n := range c.n {
		s.N = n
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b Skip) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// Decoder decodes and counts what it leaves out, where Decode and
// DecodeProjection keep silent about it. The zero value is ready; it may be used
// from many goroutines.
type Decoder struct {
	Counts
}

// Event gives what Decode gives; an error is counted.
func (d *Decoder) Event(e Event) any {
	t, known := eventData[e.Type]
	if !known {
		d.Add(SkipType, e.Type)
		return nil
	}
	v, err := Decode(e)
	if err != nil {
		d.Add(SkipWrong, e.Type)
	}
	unread(e.Data, t, e.Type, d)
	return v
}

// Projection gives what DecodeProjection gives; an error is counted.
func (d *Decoder) Projection(key string, value json.RawMessage) any {
	name := "projection " + key
	t, known := projections[key]
	if !known {
		d.Add(SkipType, name)
		return nil
	}
	v, err := DecodeProjection(key, value)
	if err != nil {
		d.Add(SkipWrong, name)
	}
	unread(value, t, name, d)
	return v
}
