package say

// Tasks: what may be wrong with one.
const (
	// UnknownTask is said for a task id without a task.
	UnknownTask = "This task does not exist any more. Look at the list of tasks and choose another one."
	// TaskName is said for a task whose name is missing or too long.
	TaskName = "A task needs a name of at most {max} characters. Correct it and try again."
	// TaskText is said for a task whose message is missing or too long.
	TaskText = "A task needs a message of at most {max} characters that says what to do. Correct it and try again."
	// TaskWhen is said for a task with no time, or with both kinds.
	TaskWhen = "A task needs either a rhythm or one time. Give one of the two and try again."
	// TaskRhythm is said for a rhythm that cannot be read.
	TaskRhythm = "The rhythm {rhythm} cannot be read. Write minute, hour, day, month and weekday, for example 0 9 * * 1-5."
	// TaskNever is said for a rhythm that never comes.
	TaskNever = "The rhythm {rhythm} never comes. Correct its day or its month and try again."
	// TaskTime is said for a time that cannot be read.
	TaskTime = "The time {time} cannot be read. Write it like 2026-12-24T18:00."
	// TaskPast is said for a time that is over.
	TaskPast = "The time {time} is already over. Choose a later one."
	// TaskZone is said for a time zone that does not exist.
	TaskZone = "The time zone {zone} is not known. Use a name like Europe/Berlin."
	// TaskMode is said for a mode that does not exist.
	TaskMode = "The mode {mode} is not known. Choose plan, manual or bypass."
	// TaskMinutes is said for a limit that cannot be used.
	TaskMinutes = "A run of a task may take from 1 to {max} minutes. Choose a number between them."
	// TasksFull is said where no task can be added.
	TasksFull = "There are already {max} tasks. Remove one, then add this one again."
	// TaskRuns is said where a task that runs is to be run.
	TaskRuns = "This task is running already. Wait until it has ended, or stop it first."
	// ListenersFull is said where too many pages wait for events.
	ListenersFull = "Too many pages are open on Strata. Close one of them and try again."
)

// How a run of a task went.
const (
	// TaskNothing is the note of a run that changed nothing and was refused nothing.
	TaskNothing = "Nothing was changed."
	// TaskRefused is the note of a run that changed nothing and was refused something.
	TaskRefused = "Nothing was changed. The agent wanted more than may happen while nobody is there. Ask for it in a chat, or give the task another mode."
	// TaskChanges is the note of a run that changed something.
	TaskChanges = "Something was changed. Look through the list of changes."
	// TaskPartly is the note of a run that changed something and was refused something.
	TaskPartly = "Something was changed, and the agent wanted more than may happen while nobody is there. Look through both lists, and ask for the rest in a chat."
	// TaskWeb is why a task's call of the web was not done.
	TaskWeb = "Tasks do not use the web, as nobody is there to allow it. Start Strata with --web-unasked to let them."
	// TaskMissedOne is the note of a run that did not happen.
	TaskMissedOne = "Strata was not running when this was due, and it is too late now. Run the task by hand if you still want it."
	// TaskMissedMany is the note of several runs in a row that did not happen.
	TaskMissedMany = "Strata was not running when this was due {times} times, and it is too late now. Run the task by hand if you still want it."
	// TaskOverlap is the note of a run that was left out.
	TaskOverlap = "The run before had not ended when this was due, so it was left out. Give the task more time between its runs."
	// TaskOverlaps is the note of several runs in a row that were left out.
	TaskOverlaps = "The run before had not ended when this was due {times} times, so they were left out. Give the task more time between its runs."
	// TaskInterrupted is the note of a run that the host did not survive.
	TaskInterrupted = "Strata ended while this task was running. Look at what it has changed, then run it again if you want."
	// TaskClosed is the note of a run that ended because the host did.
	TaskClosed = "Strata was closed while this task was running. Start it again, then run the task once more if you want."
	// TaskStopped is the note of a run that a person stopped.
	TaskStopped = "This run was stopped. Run the task again if you want."
	// TaskSwitchedOff is the note of a run whose task was switched off.
	TaskSwitchedOff = "This run was stopped, as the task was switched off. Switch it on again if you want it to run."
	// TaskTooLong is the note of a run that reached its limit.
	TaskTooLong = "This run took more than {minutes} minutes and was stopped. Allow it more, or ask for less."
)
