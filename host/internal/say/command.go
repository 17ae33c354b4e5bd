package say

// Commands that a person types.
const (
	// HelpPlan is the line of /plan in the list that /help gives.
	HelpPlan = "Write /plan and what you want, to get a plan first: this message changes nothing."
	// HelpCompact is the line of /compact.
	HelpCompact = "Write /compact to make room in a long chat: earlier messages are summarized."
	// HelpGoal is the line of /goal.
	HelpGoal = "Write /goal and an aim, to have the assistant work until it is reached. Write /goal alone to see it."
	// HelpText is the end of the list.
	HelpText = "Anything that does not begin with a slash goes to the assistant as you write it."
	// PlanEmpty is said to /plan alone.
	PlanEmpty = "Write what you want planned behind /plan, in the same message."
	// UnknownCommand is said to a line with a slash that is no command.
	UnknownCommand = "There is no command {command}. Write /help to see the commands, or send the message as text."
	// CommandFailed is said where the agent refused a command.
	CommandFailed = "The agent could not carry out {command}. Read Details, then try again."
	// CommandDone is said where the agent carried a command out and says nothing of it.
	CommandDone = "{command} is done. Send a message to go on."
)
