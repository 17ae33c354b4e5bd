package search

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
)

// record holds what outlives an instance: a reload must not make us ask a source
// that has just refused.
const record = "state"

// maxAnswers kept; the oldest go first.
const maxAnswers = 64

// memory is what all chats of the process share.
type memory struct {
	Lines   map[string]*line `json:"lines"`
	Answers []answer         `json:"answers"` // oldest first

	loaded bool
}

// answer is a question that was answered.
type answer struct {
	Key    string           `json:"key"`
	At     int64            `json:"at"` // Unix milliseconds
	Answer abi.SearchAnswer `json:"answer"`
}

// load reads what an earlier instance left. A store that cannot be read is an
// empty one: manners begin anew then.
func (m *memory) load(t *sdk.Task) error {
	if m.loaded {
		return nil
	}
	b, err := sdk.StoreGet(t, record)
	if sdk.Code(err) == abi.CodeCancelled {
		return err
	}
	if m.loaded { // another call was quicker
		return nil
	}
	var left memory
	if err == nil && json.Unmarshal(b, &left) != nil {
		t.Logf(sdk.Warn, "search: what was kept of earlier searches cannot be read")
		left = memory{}
	}
	m.Lines, m.Answers, m.loaded = left.Lines, left.Answers, true
	if m.Lines == nil {
		m.Lines = map[string]*line{}
	}
	return nil
}

// save writes what must outlive this instance. A store that refuses costs no more
// than that.
func (m *memory) save(t *sdk.Task) error {
	b, err := json.Marshal(m)
	if err == nil {
		err = sdk.StorePut(t, record, b)
	}
	if sdk.Code(err) == abi.CodeCancelled {
		return err
	}
	if err != nil {
		t.Logf(sdk.Warn, "search: keeping the state: %v", err)
	}
	return nil
}

// line is the one of a source.
func (m *memory) line(source string) *line {
	if m.Lines[source] == nil {
		m.Lines[source] = &line{}
	}
	return m.Lines[source]
}

// recall gives the answer to a question of the last half hour.
func (m *memory) recall(key string, now time.Time) (abi.SearchAnswer, bool) {
	oldest := now.Add(-freshAnswer).UnixMilli()
	m.Answers = slices.DeleteFunc(m.Answers, func(a answer) bool { return a.At <= oldest })
	for _, a := range m.Answers {
		if a.Key == key {
			a.Answer.Cached = true
			return a.Answer, true
		}
	}
	return abi.SearchAnswer{}, false
}

func (m *memory) keep(key string, now time.Time, found abi.SearchAnswer) {
	m.Answers = slices.DeleteFunc(m.Answers, func(a answer) bool { return a.Key == key })
	m.Answers = append(m.Answers, answer{Key: key, At: now.UnixMilli(), Answer: found})
	if n := len(m.Answers); n > maxAnswers {
		m.Answers = slices.Delete(m.Answers, 0, n-maxAnswers)
	}
}

// keyOf a question: the service that is asked (asks), and the words.
func keyOf(service, query string) string {
	return service + " " + strings.Join(strings.Fields(query), " ")
}
