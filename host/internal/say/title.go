package say

// Titles of tool cards: what a call does, in a few words.
const (
	// TitleRun is the title of a command.
	TitleRun = "Run: {what}"
	// TitleRead is the title of a file that is read.
	TitleRead = "Read {what}"
	// TitleWrite is the title of a file that is written.
	TitleWrite = "Write {what}"
	// TitleEdit is the title of a file that is changed.
	TitleEdit = "Edit {what}"
	// TitleLookAt is the title of a picture that is looked at.
	TitleLookAt = "Look at {what}"
	// TitleFind is the title of a search for files by name.
	TitleFind = "Find files: {what}"
	// TitleSearch is the title of a search in files.
	TitleSearch = "Search in files: {what}"
	// TitleWeb is the title of a web search.
	TitleWeb = "Search the web: {what}"
	// TitleWebBy is the title of a web search once somebody has answered it.
	TitleWebBy = "Search the web with {engine}: {what}"
	// TitlePage is the title of a web page that is opened.
	TitlePage = "Open the web page {what}"
	// TitleSkill is the title of a skill that is used.
	TitleSkill = "Use the skill {what}"
	// TitleTasks is the title of a change of the task list.
	TitleTasks = "Update the task list"
	// TitleJobs is the title of a look at the background commands.
	TitleJobs = "List background commands"
	// TitleJobOutput is the title of a look at what one wrote.
	TitleJobOutput = "Read a background command's output"
	// TitleJobStop is the title of ending one.
	TitleJobStop = "Stop a background command"
	// TitleGoal is the title of a look at the goal.
	TitleGoal = "Look at the goal"
	// TitleGoalSet is the title of a new goal.
	TitleGoalSet = "Set a goal: {what}"
	// TitleGoalUpdate is the title of a change of the goal.
	TitleGoalUpdate = "Update the goal"
	// TitleHelperWrite is the title of a message to a helper.
	TitleHelperWrite = "Write to a helper"
	// TitleHelperStop is the title of ending a helper.
	TitleHelperStop = "Stop a helper"
	// TitleHelpers is the title of a look at the helpers.
	TitleHelpers = "List the helpers"
	// TitleHelperStart is the title of a new helper.
	TitleHelperStart = "Start a helper: {what}"
	// TitleHelperOn is the title of a new helper on a model that the person named.
	TitleHelperOn = "Ask {model}: {what}"
	// TitleModels is the title of a look at the models for helpers.
	TitleModels = "List the models for helpers"
	// HelperDearer describes a helper whose model costs more than that of the agent
	// which started it.
	HelperDearer = "On {model}, which costs more than the model that started it: {what}"
	// TitleWorkflow is the title of a workflow.
	TitleWorkflow = "Run a workflow"
	// TitleRepeat is the title of a task that is done again and again.
	TitleRepeat = "Repeat a task"
	// TitleConnected is the title of a connected tool.
	TitleConnected = "Use {tool} of {server}"
	// TitleOther is the title of any other tool.
	TitleOther = "Use {tool}"
	// TitleNoTool is the title of a question that belongs to no tool.
	TitleNoTool = "Answer a question"
)
