package reason

// How a command is written.
const (
	Empty        = "There is no command to check."
	TooLong      = "This command is too long to be checked."
	Unreadable   = "This command is written in a way that cannot be checked."
	Hidden       = "This command holds hidden or unusual characters, so it cannot be checked."
	Continued    = "This command breaks a line with a backslash, so it cannot be checked."
	TooManyParts = "This command has more than {max} parts, so it cannot be checked."
	TooManyPaths = "This command names more than {max} paths, so it cannot be checked."
	Backslash    = "This command hides characters behind a backslash: {text}."
	FilledIn     = "This command has a part that is only filled in when it runs: {text}."
	RunsInside   = "This command runs another command inside it: {text}."
	Braces       = "This command has a part that unfolds into several when it runs: {text}."
	FilePattern  = "This hands {program} a list of files that is only filled in when it runs: {text}."
	Home         = "This reaches into the home folder: {text}."
	Variable     = "This changes a setting for what runs next: {text}."
	WritesFile   = "This would write the file {file}."
	Redirects    = "This sends input or output somewhere that cannot be checked: {text}."
	HereText     = "This hands a text to a program: {program}."
	Background   = "This would leave a program running in the background."
	Script       = "This is a small script of its own, so it cannot be checked: {text}."
	ByLocation   = "This runs a program by its location: {program}."
	NotBash      = "Commands for {shell} are not checked, so they always ask."
)

// What a program is asked to do.
const (
	Program   = "This runs a program that can change things: {program}."
	Option    = "This runs {program} with an option that is not known to be harmless: {option}."
	Operand   = "This runs {program} on something that is not known to be harmless: {operand}."
	Missing   = "This runs {program} without saying on what, so it may change things or wait for ever."
	SubProg   = "This runs {program} in a way that can change things."
	GitRuns   = "This project's git settings start programs ({programs}), so git is not harmless here."
	GitUnsure = "It is not known whether this project's git settings start programs."
	GitOther  = "This runs git in another folder than the chat's own: {folder}."
)

// Where a path leads.
const (
	Outside = "This looks at something outside the project folder: {path}."
	Leads   = "This leads outside the project folder: {path} is really {real}."
	Secret  = "This touches something that may hold secrets: {path}."
	Unknown = "It could not be found out where this leads: {path}."
)

// What a tool would do.
const (
	Edits       = "This would change the file {file}."
	StopsJob    = "This would stop the background job {job}."
	Connected   = "This uses the connected tool {tool} of {server}, which can change things."
	InPlan      = "This uses a connected tool ({tool}), which Plan does without."
	RunsCommand = "This runs your own command {tool}."
	Workflow    = "This runs a script that the assistant wrote, which can do anything on this computer."
	OtherTool   = "This uses the tool {tool}, which can change things."
	Argument    = "The tool {tool} was given something that it is not known to take: {argument}."
	BadCall     = "The tool {tool} was called in a way that cannot be read."
	Escalates   = "The assistant asks to run this outside the sandbox. It says: {justification}"
	SearchWeb   = "The assistant wants to search the web for: {words}. Search words go to {engine}."
	OpenPage    = "The assistant wants to open the web page {address}."
)

// What the browser would do.
const (
	OpensPage       = "Open the web page {what}."
	GoesBack        = "Go back to the web page before this one."
	GoesForward     = "Go forward to the next web page."
	Clicks          = "Click on the page: {what}."
	Types           = "Type into the page: {what}."
	PressesKey      = "Press a key on the page: {what}."
	FillsForm       = "Fill in a form on the page."
	Selects         = "Choose something on the page: {what}."
	Hovers          = "Move the pointer on the page: {what}."
	Drags           = "Drag something on the page: {what}."
	Uploads         = "Upload to the page: {what}."
	RunsScript      = "Run a script in the page: {what}."
	AnswersDialog   = "Answer a dialog of the page."
	Resizes         = "Change the size of the browser window."
	ClosesPage      = "Close the web page."
	BrowserSaves    = "Save what the browser shows in the file {what}."
	InstallsBrowser = "Install a browser."
	OpensTab        = "Open a browser tab: {what}."
	SwitchesTab     = "Switch to another browser tab."
	ClosesTab       = "Close a browser tab."
)

// What a yes in advance can mean.
const (
	NoSave         = "This cannot be allowed in advance: {reason}"
	NotCovered     = "This pattern does not cover what is asked: {pattern}."
	PatternWrong   = "This is not a pattern: {pattern}."
	PatternCommand = "A pattern for commands is one plain command, with * for a word that may differ: {pattern}."
	PatternWide    = "This pattern leaves open what would run: {pattern}."
	PatternPath    = "A pattern for files is a path, with * for a name and ** for the folders below: {pattern}."
	PatternTool    = "A pattern for this tool is its name, or mcp__<server>__* for all of one server: {pattern}."
	ChangesShell   = "The command {program} changes what the commands after it mean."
	AfterChange    = "This looks at files or git after a command that may have changed them: {text}."
	NothingToSave  = "This runs unasked anyway, or cannot be allowed in advance."
	HoldsSecret    = "This holds something that looks like a password or a key, which is not kept."
	TooManySaved   = "There are already {max} saved permissions. Remove some first."
)
