package say

// What a run tells while it goes on.
const (
	// Compacting is the status line while older messages are summarized.
	Compacting = "Summarizing earlier messages…"
	// Compacted is the status line once they are.
	Compacted = "Earlier messages were summarized, so there is room to go on."
	// NotCompacted is the status line where they could not be.
	NotCompacted = "Earlier messages could not be summarized. The answer goes on; start a new chat if it stops."
	// AnswerRestarted stands where an answer broke off and begins anew below.
	AnswerRestarted = "The connection to the model broke off here. The answer begins again below."
	// SessionReplaced is said where the Harness has no record of the chat any more.
	SessionReplaced = "The agent has no record of the earlier part of this chat and begins anew. Tell it what it needs to know."
	// ParkedFirst is said where a message that waited in the Harness is answered first.
	ParkedFirst = "An earlier message that was still waiting is answered first: {text}"
	// Reconnecting is the status line while the Harness cannot be reached.
	Reconnecting = "The connection to the agent was lost; connecting again…"
	// Reconnected is the status line once it can.
	Reconnected = "The connection to the agent is back."
	// Steered is the status line once a message was put into the running turn.
	Steered = "Your message is with the assistant, which reads it at its next step."
	// TooManyWaiting is said where a chat has more messages waiting than it keeps.
	TooManyWaiting = "Too many messages are waiting in this chat. Wait for an answer, or press Stop."
)
