package say

// The model connections.
const (
	// ConnectionUnknown is said of a connection that is not there.
	ConnectionUnknown = "This connection is not there any more. Open the list of connections again."
	// ConnectionFixed is said where a connection of the command line is to be changed.
	ConnectionFixed = "This connection comes from the command line. Change it there and start Strata again."
	// ConnectionOfApp is said where an engine of the desktop is to be changed.
	ConnectionOfApp = "This model was loaded by the app. Change it there."
	// ConnectionsFull is said where there are as many connections as there may be.
	ConnectionsFull = "There are {count} connections, which is as many as there may be. Remove one first."
	// ConnectionNoKey is said of a provider's connection without a key.
	ConnectionNoKey = "This connection has no key yet. Enter the key that {name} gave you."
	// ConnectionKeyLost is said where a key cannot be read.
	ConnectionKeyLost = "The key of this connection could not be read. Unlock the keyring and test the connection, or enter the key again."
	// ConnectionNoModel is said of a provider's connection of which no model was chosen.
	ConnectionNoModel = "No model of this connection was chosen. Choose one or more of its list."
	// ConnectionWorks is said where a test went well.
	ConnectionWorks = "The connection works. Models to choose from: {count}."
	// ModelsUnread is said where a provider's list cannot be read.
	ModelsUnread = "The list of models could not be read. Check the address and the key, or write the model's id yourself."
	// AddressWrong is said for a base URL that cannot be used.
	AddressWrong = "The address cannot be used: {why}. Correct it and save again."
	// KeyUnkept is said where a key can be kept nowhere.
	KeyUnkept = "The key could not be kept. Look at the details, then save it again."
	// ModelTwice is said for a model that is named twice.
	ModelTwice = "The model {model} is there twice. Remove one of them and save again."
	// WindowWrong is said for a context window that none can be.
	WindowWrong = "The context window of {model} cannot be right. Correct it and save again."
	// KeyOfAnother is said where a connection gets an address elsewhere and keeps its key.
	KeyOfAnother = "This address leads to another server, and the saved key is not for that one. Enter its key, or add another connection for it."
	// DefaultUnknown is said where a model that cannot be chosen is to be the default.
	DefaultUnknown = "The model {model} cannot be chosen now. Look at the list of models, and choose one of them."
	// KindWrong is said for a kind of connection that there is not.
	KindWrong = "Choose what kind of connection it is: {kinds}."
	// NameWrong is said for a shown name that cannot be used.
	NameWrong = "This name cannot be used: it may have {count} characters, and none that cannot be seen. Change it and save again."
	// ModelWrong is said for a model's id that can be none.
	ModelWrong = "This cannot be a model's id: it may have {count} characters, and no spaces or characters that cannot be seen. Copy it from the server's list."
	// ModelsMany is said where a connection has too many models.
	ModelsMany = "A connection has at most {count} models. Leave some out and save again."
	// SlotsWrong is said for a number of slots that none can be.
	SlotsWrong = "The number of requests at once cannot be right. Enter one from 0 to {count} and save again."
	// EngineIDWrong is said to the desktop for an engine's id.
	EngineIDWrong = "This cannot be an engine's id. Use lower-case letters, digits and single dashes, {count} at most."
	// WindowAsked asks for a context window.
	WindowAsked = "Nobody tells how many tokens {model} takes at once. Enter its context window; then it can be chosen."
	// SlotsAsked asks for a server's slots.
	SlotsAsked = "Nobody tells how many requests this server works on at once. Enter how many; until then {count} helpers work at once at most."
	// WindowAskedOfApp asks for a context window where the desktop has loaded the model.
	WindowAskedOfApp = "Nobody tells how many tokens {model} takes at once. Set its context window in the app that loaded it; then it can be chosen."
	// SlotsAskedOfApp asks for an engine's slots there.
	SlotsAskedOfApp = "Nobody tells how many requests this engine works on at once. Set it in the app that loaded it; until then {count} helpers work at once at most."
	// WindowAskedOfFlags asks for a context window where the model is the command line's.
	WindowAskedOfFlags = "Nobody tells how many tokens {model} takes at once. Say it with --context-window and start Strata again; then it can be chosen."
	// SlotsAskedOfFlags asks for the slots of a server of the command line.
	SlotsAskedOfFlags = "Nobody tells how many requests this server works on at once. Say it with --slots; until then {count} helpers work at once at most."
	// LocalDown is said of a local server that does not answer.
	LocalDown = "No model server answers at {server}. Start it, or correct the address."
	// LocalOdd is said where something answers at a local server's address, but gives no
	// list of models.
	LocalOdd = "Something answers at {server}, but it does not tell its models. Look at what runs there, or correct the address."
	// EngineLacks is said of an engine of the desktop that has other models.
	EngineLacks = "The engine at {server} does not have the model {model}. Load it again in the app."
	// LocalLoading is said of a local server that is not ready yet.
	LocalLoading = "The model server at {server} is still loading its model. Wait a moment."
	// LocalEmpty is said of a local server without a model.
	LocalEmpty = "The model server at {server} has no model. Load one there."
)

// The versions of the Harness.
const (
	// HarnessUntested is a notice for a Harness that our tests did not run on.
	HarnessUntested = "The agent is version {version}, which Strata was not tested with. If something goes wrong, install version {tested}."
	// HarnessLacks is said of a Harness in which the gate cannot do its work.
	HarnessLacks = "The agent, version {version}, lacks what Strata needs to ask before changes, so it is not used. Install version {tested}."
)

// What the command profile says.
const (
	// ProfileValid is printed where every row landed.
	ProfileValid = "The profile is valid: all of its {count} rows are in what the agent, version {version}, is composed of."
	// ProfileDiffers is said below the differences.
	ProfileDiffers = "The profile differs from the one that was written last. Start Strata again to write it."
)
