package say

// The command line.
const (
	// FlagMissing is said where serve lacks a flag.
	FlagMissing = "Strata needs {flag}. Add it, or run \"make run\", which sets everything."
	// FlagWrong is said for a flag's value that cannot be used.
	FlagWrong = "The value of {flag} cannot be used: {why}. Correct it and start Strata again."
	// NotFolder is said where a flag names no folder.
	NotFolder = "{flag} names {path}, which is not a folder. Correct it and start Strata again."
	// CommandWrong is said of one of a command that a running host would have carried out.
	CommandWrong = "The value of {flag} cannot be used: {why}. Correct it and give the command again."
	// NotFile is said where a flag names no readable file.
	NotFile = "{flag} names {path}, which cannot be read. Correct it and start Strata again."
	// FileEmpty is said where a key or token file holds nothing.
	FileEmpty = "{flag} names {path}, which is empty. Write the key or token into it and start Strata again."
	// FileOpen is said where others can read a key or token file.
	FileOpen = "{path} can be read by other users. Run \"chmod 600\" on it and start Strata again."
	// ListenNeedsToken is said for a non-loopback bind without a token file.
	ListenNeedsToken = "Listening on {addr} lets other machines in. Give --token-file with a token of your own, or listen on 127.0.0.1."
	// TokenWeak is said for a person's token that is too short.
	TokenWeak = "The token in {path} is too short. Use at least 32 characters and start Strata again."
	// TokenForm is said for a person's token that does not fit a URL or a header.
	TokenForm = "The token in {path} has characters that an address cannot hold. Use letters and digits and start Strata again."
	// PortTaken is said where the address cannot be bound.
	PortTaken = "Strata cannot listen on {addr}. Close the program that uses it, or choose another --listen address."
	// DataUnusable is said where the data folder cannot be made or written.
	DataUnusable = "The data folder {path} cannot be used. Choose another --data folder, or correct its permissions."
	// DataNewer is said where a newer Strata has written the data folder.
	DataNewer = "The data folder {path} was written by a newer Strata. Start that one, or choose another --data folder."
	// ReadyAt is the one line that serve prints.
	ReadyAt = "Strata is ready: {url}"
	// DetailsAre is the line of technical text below a sentence.
	DetailsAre = "Details: {text}"
	// Closing is printed at the first signal.
	Closing = "Strata is closing. Press Ctrl+C again to end it at once."
	// ClosedWith is printed at the end where something was broken off by it.
	ClosedWith = "Strata is closed. Answers that were stopped: {stopped}; messages that were not sent: {unsent}. Start it again and send them once more."
)

// What wire finds.
const (
	// NotRunning is said where no host serves from the data folder.
	NotRunning = "No Strata runs on the data folder {path}. Start it with \"strata-host serve\", or name another one with --data."
	// WireJSON is said for a call whose payload is no JSON object.
	WireJSON = "What the call is to send cannot be read. Write names and values in braces, and all of it in single quotes."
)

// What serve finds before it serves.
const (
	// DataInUse is said where another host holds the data folder.
	DataInUse = "Another Strata uses the data folder {path}. Close it, or choose another --data folder."
	// DataInUseBy is DataInUse where it is known which process that is.
	DataInUseBy = "Another Strata, process {pid}, uses the data folder {path}. Close it, or choose another --data folder."
	// PluginsMissing is said where the built plugins are not there.
	PluginsMissing = "The plugins in {path} are not built. Run \"make wasm\", or name another folder with --shim."
)
