package say

// Why the turn guard ended a turn.
const (
	// GuardSearchFails is said where web searches failed in a row.
	GuardSearchFails = "I stopped because {times} web searches in a row failed. Try again in a minute, or add a search key in Settings → Tools → Web search."
	// GuardSearches is said where a turn searched the web too often.
	GuardSearches = "I stopped after {times} web searches for one message. Ask me to answer with what I have found, or ask a narrower question."
	// GuardPlan is said where a plan was begun again and again.
	GuardPlan = "I stopped because I kept beginning the plan anew. Tell me which part of it matters most, and I go on from there."
	// GuardFull is said where the chat has no room left.
	GuardFull = "I stopped because this chat is nearly full. Earlier messages are being summarized; send your next message to go on."
	// GuardSameFailure is said where one step failed again and again.
	GuardSameFailure = "I stopped because the same step failed {times} times. Read its Details above, then tell me what to try instead."
	// GuardOnlyFailures is said where nothing in a turn went well.
	GuardOnlyFailures = "I stopped because all {times} steps of this answer failed. Read their Details above, then tell me how to go on."
)

// Plans.
const (
	// PlanApproved is the message that carries out a plan.
	PlanApproved = "The plan is approved. Carry it out now."
	// PlanOver is said where a plan is answered that does not wait any more.
	PlanOver = "This plan is not waiting for an answer any more. Send a message to go on."
)
