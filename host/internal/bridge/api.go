// Package bridge makes chats of Harness sessions: which chat is which session,
// the runs, the approvals, Stop, history (design §5).
package bridge

import (
	"context"

	"strata.dev/bridge/proto/chat"
)

// API is what routes and other surfaces call. All methods may be called at once
// from many goroutines. Every error that is the caller's or the Harness's is a
// *chat.Error with a typed code; the only others are the context's own.
type API interface {
	// Send starts a run, or queues it behind the chat's running one, and gives its
	// frames from the first on. A RequestID seen before in this chat attaches to
	// the run that it started. The context bounds the call, not the run: a run
	// goes on until it ends or Stop.
	//
	// Errors: bad-request (no chat id, no request id, nothing to send, a relative
	// CWD). Whatever fails later is the run's error frame.
	Send(ctx context.Context, r chat.StreamRequest) (Subscription, error)

	// Attach gives the frames of a run with seq > after, then live ones. For a run
	// that is not known any more, or frames no longer held, it gives one reset
	// frame first: its Run and Seq say where what follows begins (Run is "" and
	// nothing follows when no run is under way).
	//
	// Errors: unknown-chat, agent-unavailable (a snapshot was needed).
	Attach(ctx context.Context, chatID, run string, after int64) (Subscription, error)

	// Answer decides a proposed card. SessionID is the chat's session id, or the
	// chat's id as the page knows it. Of several answers the first counts.
	//
	// Errors: bad-request, unknown-session, unknown-tool, not-pending, changed,
	// not-yours, agent-unavailable.
	Answer(ctx context.Context, r chat.ApprovalRequest) error

	// Plan answers the plan of the chat's newest turn. A yes sends the chat's next
	// message and gives its run.
	//
	// Errors: bad-request, unknown-session, not-pending, and those of Send.
	Plan(ctx context.Context, r chat.PlanRequest) (chat.PlanAnswer, error)

	// Oversize makes of a message that is too long one that can be sent: a file in the
	// chat's folder and a message about it, or a shortened preview. It sends nothing.
	//
	// Errors: bad-request, internal (the file could not be written).
	Oversize(ctx context.Context, r chat.OversizeRequest) (chat.OversizeAnswer, error)

	// Stop ends the chat's running turn, its helpers and what is queued behind it,
	// and returns once the turn has ended, with the messages that no turn has read.
	// Nothing running is no error.
	//
	// Errors: bad-request, unknown-session.
	Stop(ctx context.Context, r chat.StopRequest) (chat.StopAnswer, error)

	// TakeBack takes a message back that waits behind the chat's run under way, and
	// gives it. Its own run ends as one that was stopped.
	//
	// Errors: unknown-chat, not-waiting.
	TakeBack(ctx context.Context, chatID, run string) (chat.StreamRequest, error)

	// SteerWaiting puts a message that waits into the chat's running turn. Where no
	// turn takes it, it waits on, in a run of another id.
	//
	// Errors: unknown-chat, not-waiting, not-taken, agent-unavailable.
	SteerWaiting(ctx context.Context, chatID, run string) error

	// Pending lists the approvals of a chat that wait, oldest first; "" is all chats'.
	Pending(chatID string) []chat.Pending

	// Status says how the agent stands. It starts nothing.
	Status(ctx context.Context) chat.AgentStatus

	// Chats lists the chats, newest first. It needs no running Harness.
	Chats(ctx context.Context) (chat.ChatList, error)

	// Chat gives a chat's history; it starts the Harness when needed.
	// Errors: unknown-chat, agent-unavailable.
	Chat(ctx context.Context, id string) (chat.Chat, error)

	// PatchChat renames or archives. Errors: unknown-chat, bad-request.
	PatchChat(ctx context.Context, id string, p chat.ChatPatch) (chat.ChatSummary, error)

	// Close ends the runs (each with one frame that says so) and waits for them. What
	// the Harness has is given a few seconds to end by itself and is then stopped in
	// order; what it does not have is not sent, and kept. The end of the context breaks
	// off what is still to be waited for. Close does not stop the Harness.
	Close(ctx context.Context) (Parting, error)
}

// Subscription is one reader of a run. A reader that falls too far behind is let
// go with ErrSlow; it attaches again after the last seq it has. Closing it never
// stops the run.
type Subscription interface {
	// Next waits for the next frame. The error is io.EOF after the run's last
	// frame, ErrSlow, or the context's.
	Next(ctx context.Context) (chat.Frame, error)
	// Close lets the run forget this reader. It may be called more than once.
	Close()
}
