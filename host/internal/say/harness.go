package say

// Finding and starting the Harness.
const (
	// AgentIdle is the status line where no Harness is wanted yet.
	AgentIdle = "The agent is not running. It starts with the first message."
	// HarnessBroken is said where the component's folder is not whole.
	HarnessBroken = "The agent in {path} is not complete. Install it again with \"make run\", or name another folder with --harness."
	// NodeMissing is said where there is no Node at all.
	NodeMissing = "The agent needs Node.js {need} or newer, and none was found. Install it, or run \"make run\", which brings its own."
	// NodeOld is said for a Node below the oldest usable version.
	NodeOld = "The agent needs Node.js {need} or newer, but {path} is {version}. Update it, or name another one with --node."
	// NodeBroken is said for a file that does not run as Node.
	NodeBroken = "{path} does not run as Node.js. Name another one with --node; the agent needs {need} or newer."
	// HarnessPort is said where the Harness cannot listen.
	HarnessPort = "The agent found no free port. Close programs that you do not need, then send your message again."
	// HarnessProfile is said where the Harness cannot read what it starts from.
	HarnessProfile = "The agent's settings in {path} cannot be read. Correct or remove the file named under Details, then start Strata again."
	// HarnessPlugin is said where a plugin row does not load or start.
	HarnessPlugin = "A part of the agent did not load. Read Details, correct it, then start Strata again."
	// HarnessDrift is said for an install whose dependencies do not fit together.
	HarnessDrift = "The installed agent's packages do not fit together. Install it again with \"make run\", which uses the tested ones."
	// HarnessOpen is said where the Harness would serve to other machines.
	HarnessOpen = "The agent listens where others could reach it, so it was ended. Remove what changes its address, then start Strata again."
	// HarnessFence is said where the Harness does not accept the launch secret.
	HarnessFence = "The agent did not accept Strata's own access. Start Strata again; if that does not help, install it again with \"make run\"."
	// HarnessSlow is said where the Harness does not answer in time.
	HarnessSlow = "The agent did not get ready within {seconds} seconds. Wait until the computer is less busy, then send your message again."
	// HarnessWire is said where the Harness runs and speaks no wire that the host knows.
	HarnessWire = "This version of the agent and this Strata do not understand each other. Update the older of the two, then send your message again."
	// HarnessLoop is said after several short lives in a row.
	HarnessLoop = "The agent ended soon after its start {times} times. Read Details; Strata tries again with a message that you send in a minute."
	// HarnessLeftover is said where processes of a dead host cannot be ended.
	HarnessLeftover = "An agent of an earlier Strata is still running and cannot be ended. End process {pid}, then start Strata again."
)

// Model connections and the key proxy.
const (
	// KeyFileWrong is said where a key file holds something else than one key.
	KeyFileWrong = "{path} must hold one line with nothing but the key. Correct it and start Strata again."
	// KeyInClear is a warning for a key that travels without encryption.
	KeyInClear = "The key is sent to {server} without encryption. Use an address with https:// if the server has one."
	// ConnectionGone is what the Harness reads where its route was removed.
	ConnectionGone = "This model connection is not set up any more. Choose another model and send the message again."
	// RequestTooLarge is what the Harness reads for a request over 64 MiB.
	RequestTooLarge = "This conversation is too large to send. Start a new chat, or remove pictures."
	// ModelRedirects is said where the server answers with another address.
	ModelRedirects = "The model server sends to another address, which is not followed. Correct --base-url and start Strata again."
)
