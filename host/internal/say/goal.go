package say

// What is said of goals.
const (
	// GoalWorking is the status line while a goal's rounds go on.
	GoalWorking = "Working on the goal…"
	// GoalDone ends a goal that was reached.
	GoalDone = "The goal is reached. Set another one with /goal and its text."
	// GoalPaused ends the rounds of a goal that was paused.
	GoalPaused = "The goal is paused. Type /goal resume to go on with it."
	// GoalBlocked ends the rounds of a goal that the assistant cannot go on with.
	GoalBlocked = "The goal cannot go on: {reason}. Help it along with a message, then type /goal resume."
	// GoalLimit ends the rounds of a goal at its limit.
	GoalLimit = "The goal used all its rounds ({rounds}). Type /goal resume to give it more."
	// GoalHalted ends the rounds of a goal after a round that failed.
	GoalHalted = "The goal stopped because a round did not end well. Type /goal resume to go on with it."
	// GoalCleared says that the goal was taken away.
	GoalCleared = "The goal was cleared. Set another one with /goal and its text."
	// GoalEdited says that a goal has another text.
	GoalEdited = "The goal is now: {goal}. Type /goal to see how it stands."
	// GoalActive shows a goal that is worked on.
	GoalActive = "The goal is: {goal}. It is being worked on, {rounds} of {most} rounds so far; type /goal pause to halt it."
	// GoalWaits shows a goal that is not worked on.
	GoalWaits = "The goal is: {goal}. It is not being worked on, {rounds} of {most} rounds so far; type /goal resume to go on."
	// GoalReached shows a goal that was reached.
	GoalReached = "The goal was: {goal}. It is reached; set another one with /goal and its text."
	// GoalNone is said where a chat has no goal.
	GoalNone = "This chat has no goal. Set one with /goal and its text."
	// GoalExists is said where a second goal is set.
	GoalExists = "This chat has a goal that is not reached yet: {goal}. Type /goal clear first, or /goal edit and the new text."
	// GoalEditEmpty is said where /goal edit has no text.
	GoalEditEmpty = "Write the goal's new text behind /goal edit."
	// GoalBusy is said where a goal is set or resumed that is worked on already.
	GoalBusy = "The goal is being worked on already. Type /goal pause to halt it."
	// GoalsOff is said where goals are switched off.
	GoalsOff = "Goals are turned off. Turn them on in Settings → Tools, then send this again."
	// GoalsMissing is said where the Harness has no goals.
	GoalsMissing = "This version of the agent has no goals. Send your request as a message instead."
)
