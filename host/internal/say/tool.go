package say

// What is wrong with a tool of the person's own.
const (
	// ToolKindUnknown refuses a tool that is none that there can be.
	ToolKindUnknown = "This kind of tool cannot be added here. Add a server: give its web address, or the program that starts it."
	// ServerNameWrong refuses a server's name.
	ServerNameWrong = "A server's name is made of small letters and digits, with single dashes between, 25 at most. Choose another one."
	// ServerNameTaken refuses a name that another server has.
	ServerNameTaken = "There is a server called {name} already. Choose another name, or change that one."
	// ServerRenamed refuses another name for a server.
	ServerRenamed = "A server keeps its name. Remove it, and add it again under the other name."
	// ServersFull is said where there are as many servers as there may be.
	ServersFull = "There are {count} servers, which is as many as there may be. Remove one first."
	// ServerUnknown is said of a server that is not there.
	ServerUnknown = "This server is not there any more. Open the list of tools again."
	// ServerEither asks for how a server is reached.
	ServerEither = "A server has a web address, or a program that starts it. Give one of the two."
	// ServerProgramWrong refuses a program.
	ServerProgramWrong = "The program cannot be started like this: it, or one of its arguments, is too long or holds a line break. Correct it and save again."
	// ServerValueName refuses the name of a header or variable.
	ServerValueName = "{name} cannot be set for this server. Choose another header or variable."
	// ServerValueWrong refuses the value of a header or variable.
	ServerValueWrong = "The value is empty, too long, or holds characters that none can have. Copy it again from where you have it."
	// ServerValuesFull is said where a server has as many headers or variables as it may.
	ServerValuesFull = "A server can have {count} headers or variables. Remove one first."
	// ServerInClear refuses to send a header unencrypted.
	ServerInClear = "The headers would cross the network unencrypted. Use an address that begins with https://, or remove the headers."
	// ServerKeyInClear warns of a key where none belongs.
	ServerKeyInClear = "The address or an argument of {name} looks like it holds a key. It is stored and shown there in plain text: give it as a header or a variable instead."
	// ServerUnreachable is what the agent reads where a server does not answer.
	ServerUnreachable = "The tool server could not be reached. Check its address in Settings -> Tools, and that it runs."
)
