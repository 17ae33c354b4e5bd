package say

// What else may go wrong with a turn (harness-rc8.md §8).
const (
	// ModelKeyMissing ends a run whose model has no key.
	ModelKeyMissing = "No key is set for this model. Give its file with --key-file and start Strata again, or choose another model."
	// ModelRejected ends a run whose request the model server did not take.
	ModelRejected = "The model server did not accept this message. Write it differently, or choose another model; the technical text is under Details."
	// ModelEmpty ends a run whose model sent nothing, several times.
	ModelEmpty = "The model sent an empty answer. Send the message again, or choose another model."
	// ModelGone ends a run whose model is no longer there.
	ModelGone = "This model is not set up any more. Choose another model and send the message again."
	// ModelLevel ends a run whose model lacks the thinking level.
	ModelLevel = "The model does not have this thinking level. Choose another level or another model, and send the message again."
	// PicturesInChat ends a run whose chat has pictures, with a model that reads none.
	PicturesInChat = "This chat has pictures, which the model does not read. Choose a model that does, or start a new chat."
	// SessionHeld is said where another process works on the chat's record.
	SessionHeld = "Another program is using the record of this chat. Close it, then send the message again."
	// SessionDamaged is said where the chat's record cannot be read.
	SessionDamaged = "The agent's record of this chat is damaged and cannot be read. Start a new chat; the technical text is under Details."
	// PresetGone is said where the agent does not have our set of tools.
	PresetGone = "The agent did not get its tools for this chat. Start Strata again, then send the message again."
	// PictureRefused is said where the agent did not take a picture.
	PictureRefused = "The agent could not take a picture of this message. Make it smaller, or save it as PNG, and send the message again."
)

// How a tool's card ends that failed for a known reason.
const (
	// ToolNotFound is the result of a card whose file is not there.
	ToolNotFound = "This file or folder was not found. Check its name, or ask the assistant to look for it."
	// ToolNoAccess is the result of a card whose file the person's account cannot use.
	ToolNoAccess = "The computer does not allow this file or folder to be used. Change its permissions, or name another one."
	// ToolWrongKind is the result of a card whose file is of another kind.
	ToolWrongKind = "This is not the kind of file that was expected. Name another one, or ask the assistant to look at it first."
	// ToolTooLarge is the result of a card whose file is too large.
	ToolTooLarge = "This is too large to be read at once. Ask for a part of it."
	// ToolFileChanged is the result of an edit that does not fit the file.
	ToolFileChanged = "The file is not as the assistant expected, so it was not changed. The assistant can read it and try again."
	// ToolMisused is the result of a call that no tool takes.
	ToolMisused = "The assistant did not call this in the right way, so it did not run. It can try again."
	// ToolSlow is the result of a card that took too long.
	ToolSlow = "This took too long and was ended. Check what has changed, or ask for smaller steps."
	// ToolUnconfined is the result of a command that could not be confined.
	ToolUnconfined = "This did not run, as commands cannot be confined on this computer. Install bubblewrap, or choose Manual to be asked first."
	// ToolNotStarted is the result of a card whose process ended before it ran.
	ToolNotStarted = "The agent ended before this ran, so nothing was changed by it. Ask again if you want it."
	// Unconfined is said once in a chat whose commands cannot be confined.
	Unconfined = "Commands cannot be confined on this computer, so Plan refuses them. Install bubblewrap and start Strata again, or choose Manual to be asked first."
)
