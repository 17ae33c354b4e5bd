package say

// Answers that come from the model alone, without the agent.
const (
	// AnswersAlone is said beside why the agent does not run.
	AnswersAlone = "Until then the model answers alone, without files and tools. Of this chat it sees only what was written without the agent."
	// DirectChat is said in a chat that began without the agent, once there is one.
	DirectChat = "This chat began without the agent and goes on without it. Start a new chat to work with files and tools."
	// EarlierAway stands for the part of a chat that only the agent has.
	EarlierAway = "The earlier part of this chat is kept by the agent. It shows again once the agent runs."
	// UnseenByAgent is said where the agent goes on after answers that it has not seen.
	UnseenByAgent = "The agent has not seen what was written here while it was away. Tell it what it needs to know of that."
)
