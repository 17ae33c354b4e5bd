package say

// A chat and the model's context window.
const (
	// MessageTooLarge is said to a message that fits into no chat on this model. It was
	// not sent.
	MessageTooLarge = "This message is too long for the model, so it was not sent. Attach it as a file, which the assistant reads in parts, or send a shortened preview."
	// MessageRefused is said of one that the model's server refused, where no room helps.
	MessageRefused = "This message is too long for the model, so it got no answer. Attach it as a file, which the assistant reads in parts, or send a shortened preview."
	// PicturesTooLarge is said where it is a message's pictures that do not go through.
	PicturesTooLarge = "The pictures of this message are too much for the model, so it got no answer. Send it again with fewer or smaller ones, or choose another model."
	// ChatFilled is the answer to /compact: how full the chat was and is, in percent.
	ChatFilled = "The chat was {before}% full and is now {after}% full."
	// NothingToSummarize is its answer where there is little but the newest message.
	NothingToSummarize = "There is nothing older to summarize in this chat."
	// NewestFills is that answer where the newest message fills the chat.
	NewestFills = "There is nothing older to summarize: the newest message is what fills this chat ({percent}%). Start a new chat, or attach long text as a file."
	// SummaryStuck is told once summarizing is not tried again by itself.
	SummaryStuck = "Summarizing freed no room twice, so it is not tried again by itself. Write /compact to try once more, or start a new chat."
	// WindowTooSmall is said where the agent's own instructions fill a window.
	WindowTooSmall = "The agent's instructions and tools alone nearly fill this model's context window. Choose a model with a larger window."
	// Outlined is told where no model made a summary, so that an outline took its place.
	Outlined = "The model could not summarize the earlier messages, so it no longer reads them, except for how yours began. They stay on this page. Tell the assistant what it still needs to know."
	// OutlinedFile is told instead where what was left out is in a file of the chat's folder.
	OutlinedFile = "The model could not summarize the earlier messages, so it reads only how yours began. All of them stay on this page, and as plain text in {file} in the chat's folder."
	// NotSummarized is the answer to /compact where nothing came of it.
	NotSummarized = "The model could not summarize the earlier messages, so nothing was changed. Choose another model, or try again."
	// NotAttached is said where the file of a long message could not be written.
	NotAttached = "The text could not be saved in the chat's folder. Check that the folder can be written to, and try again."
)
