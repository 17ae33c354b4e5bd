// Package project makes chat frames of a session's events. It is pure: the same
// events give the same frames, whether they come one by one from a live session
// or all at once from its log (History).
package project

import (
	"encoding/json"
	"strings"

	"strata.dev/bridge/host/internal/replycut"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/budget"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// Config says whose events a Fold reads.
type Config struct {
	Root    string // session of the chat
	Session string // session of the events: Root, or a helper's
	CWD     string // the chat's folder: titles show paths below it relative to it
}

// id is how a call of this session is named on the chat's page.
func (c Config) id(call string) string {
	if c.Session == c.Root {
		return call
	}
	return c.Session + ":" + call
}

// Fold is the state of one session's projection. It is not safe for concurrent use.
type Fold struct {
	cfg    Config
	window int64 // of the model, in tokens; 0 until the log names it
	policy string
	usage  chat.Usage

	text  channel // the running step's answer
	think channel
	step  dsh.Step
	// blocks is how much of each block of the running try has come, by index.
	blocks map[int]*block
	drafts map[int]*drafted // files that the running try is writing, by index
	failed bool             // the running try has failed; chunks that follow are the next one's
	begun  bool             // another try has begun; a message that follows is its, too

	cards     map[string]*card // by call id
	named     map[string]bool  // ids that cards have had
	approvals map[string]string
	answered  bool          // the running turn has shown text
	outlined  chat.Sentence // what is told of the summary that is under way, if it is none
	full      int           // percent of the window that the newest request used
	cuts      int           // how often the answer to the newest message was cut off
	goOn      bool          // the newest turn was, and is to go on
	carded    bool          // the running turn has shown a card, or a helper's row
	open      bool          // a turn is running
	stepped   bool          // it has made its first step
	goal      *dsh.GoalState
	goalNotes []chat.Frame    // what the running turn's end is to tell of the goal
	told      map[string]bool // notices, by key
	bad       int
}

// New gives the Fold of a session before its first event.
func New(cfg Config) *Fold {
	return &Fold{cfg: cfg, blocks: map[int]*block{}, drafts: map[int]*drafted{}, cards: map[string]*card{}, named: map[string]bool{}, approvals: map[string]string{}, told: map[string]bool{}}
}

// Usage is what all model requests so far used.
func (f *Fold) Usage() chat.Usage { return f.usage }

// Undecoded counts the events whose data did not fit their type.
func (f *Fold) Undecoded() int { return f.bad }

// Apply takes the next event of the session and gives the frames it makes, without
// run and seq. Events of a type that no frame shows give none.
func (f *Fold) Apply(e dsh.Event) []chat.Frame {
	data, err := dsh.Decode(e) // what fitted is there all the same
	if err != nil {
		f.bad++
	}
	switch d := data.(type) {
	case *dsh.Turn:
		f.answered, f.carded, f.goOn, f.open, f.stepped = false, false, false, true, false
	case *dsh.Step:
		if e.Type == dsh.TypeStepStart {
			f.stepped = true
			f.enter(*d)
		}
	case *dsh.Message:
		if d.Source.Kind == personKind {
			f.text.close()
			f.think.close()
			if !Ours(*d) {
				f.cuts = 0
			}
		}
		if d.Source.Kind == goalKind && d.Source.Round > 0 {
			return f.goalRound(d.Source)
		}
	case *dsh.AssistantChunk:
		return f.chunk(*d)
	case *dsh.AssistantMessage:
		return f.message(*d)
	case *dsh.AssistantAttempt:
		return f.attempt(*d)
	case *dsh.RequestContext:
		f.window = d.ContextWindow
	case *dsh.ToolCall:
		return f.called(e, *d)
	case *dsh.Approval:
		if e.Type == dsh.TypeApprovalAsked {
			return f.asked(e, *d)
		}
		return f.decided(e, *d)
	case *dsh.StockSearch:
		f.stockSearch()
	case *dsh.ToolResult:
		return f.result(e, *d)
	case *dsh.Value:
		if e.Type == dsh.TypeApprovalPolicy {
			f.policy = d.Policy
		}
	case *dsh.Retry:
		f.failed = true
		return []chat.Frame{status(say.ModelRetry)}
	case *dsh.GoalChange:
		return f.goalChanged(*d)
	case *dsh.CompactionSummary:
		f.outlined = outlined(d.Summary)
	case *dsh.Compaction:
		return f.compaction(e.Type, *d)
	case *dsh.TurnEnd:
		return f.ended(*d)
	}
	return nil
}

// usedUp gives the context frame of a finished model request.
func (f *Fold) usedUp(u dsh.Usage) []chat.Frame {
	f.usage.Prompt += u.Prompt()
	f.usage.Completion += u.OutputTokens
	f.usage.Cached += u.CacheReadTokens
	tokens := u.Prompt() + u.OutputTokens
	if f.window <= 0 || tokens == 0 {
		return nil
	}
	f.full = int(tokens * 100 / f.window)
	return []chat.Frame{{Type: chat.ContextUse, Context: &chat.Context{
		Tokens: tokens, Window: f.window, Percent: int((tokens*100 + f.window/2) / f.window), Source: "measured",
	}}}
}

// GoesOn tells whether the turn that ended last was cut off and the agent is to be
// asked to go on.
func (f *Fold) GoesOn() bool { return f.goOn }

// ended says why a turn that left nothing to read did so, or that it was cut off, and
// closes its cards. A goal's rounds, a stop and a failure say for themselves.
func (f *Fold) ended(end dsh.TurnEnd) []chat.Frame {
	frames := f.Close(end.Reason.Kind == "interrupted")
	f.open = false
	empty, cut := !f.answered && !f.carded, end.Reason.Kind == "max-tokens"
	if notes := f.goalEnded(end.Reason.Kind); notes != nil || f.Pursued() {
		return append(frames, notes...)
	}
	if cut {
		f.goOn = replycut.GoOn(replycut.Cut{Before: f.cuts, Empty: empty, Percent: f.full})
		f.cuts++
	}
	switch {
	case f.goOn:
		frames = append(frames, own(say.AnswerGoesOn))
	case !empty && cut:
		frames = append(frames, own(say.AnswerCut))
	case !empty || !cut && end.Reason.Kind != "completed":
	case f.full >= budget.OutOfRoomPercent:
		frames = append(frames, own(say.NoRoom))
	default:
		frames = append(frames, own(say.NoAnswer))
	}
	return frames
}

// compaction tells of a summary that is made: while it goes on in the status line, and
// once it ended in a line of the answer during which it was made. One between turns has
// no answer; who asked for it is told otherwise.
func (f *Fold) compaction(kind string, d dsh.Compaction) []chat.Frame {
	if kind == dsh.TypeCompactionStart {
		f.outlined = chat.Sentence{}
		return []chat.Frame{status(say.Compacting)}
	}
	told := say.Sentence(say.Compacted)
	switch failed := compactionFailure(d); {
	case strings.Contains(failed, say.SummaryStuck):
		told = say.Sentence(say.SummaryStuck)
	case failed != "":
		told = say.Sentence(say.NotCompacted)
	case f.outlined.Key != "":
		told = f.outlined
	}
	if d.Turn == nil {
		return []chat.Frame{{Type: chat.Status, Sentence: told}}
	}
	return []chat.Frame{{Type: chat.Delta, Own: true, Sentence: told}}
}

// OutlinedIn tells that no model made a summary, and in which file what was left out is; ""
// is none.
func OutlinedIn(file string) chat.Sentence {
	if file == "" {
		return say.Sentence(say.Outlined)
	}
	return say.Sentence(say.OutlinedFile, "file", file)
}

// outlined is what is told of messages for which no summary stands but an outline.
func outlined(summary []dsh.Block) chat.Sentence {
	for _, b := range summary {
		if strings.Contains(b.Text, abi.SaidOutline) {
			return OutlinedIn(abi.OutlineFile(b.Text))
		}
	}
	return chat.Sentence{}
}

// compactionFailure is why no summary was made, as the log has it; "" where one was.
func compactionFailure(d dsh.Compaction) string {
	text := string(d.Error)
	if text == "null" {
		return ""
	}
	_ = json.Unmarshal(d.Error, &text) // or it is told as it stands
	return text
}

func status(key string) chat.Frame {
	return chat.Frame{Type: chat.Status, Sentence: say.Sentence(key)}
}

// own is the host's own sentence inside an answer.
func own(key string) chat.Frame {
	return chat.Frame{Type: chat.Delta, Own: true, Sentence: say.Sentence(key)}
}
