package say

// Chats, approvals and Stop.
const (
	// UnknownChat is said for a chat id without a chat.
	UnknownChat = "This chat does not exist any more. Choose another chat or start a new one."
	// UnknownSession is said for a session id that belongs to no chat.
	UnknownSession = "This chat is not known to the agent. Reload the page, or start a new chat."
	// UnknownTool is said for an answer to a card that the chat never had.
	UnknownTool = "There is no such request in this chat. Reload the page to see what is waiting."
	// NotPending is said for a second answer.
	NotPending = "This request has been answered already, or is over. Reload the page to see how it ended."
	// Changed is said for an answer to a request other than the one now waiting.
	Changed = "This request has changed since it was shown. Look at it again and answer the new one."
	// NotYours is said for an answer to another chat's card.
	NotYours = "This request belongs to another chat. Open that chat to answer it."
	// NoFolder is said for a new chat whose folder is missing or not absolute.
	NoFolder = "The folder {folder} cannot be used. Choose one that exists and start a new chat."
	// NotWaiting is said for a waiting message that has its turn already.
	NotWaiting = "This message does not wait any more. Look at the chat to see what became of it."
	// NotTaken is said where the running turn does not take a message that waits.
	NotTaken = "The assistant cannot take this message in between. It waits and goes out after this turn."
	// RequestReused is said for a request id that another message had.
	RequestReused = "This message was sent with an id that another one had. Reload the page and send it again."

	// Stopped ends a run that the person stopped.
	Stopped = "Stopped. Send a message to go on."
	// NoAnswer ends a turn without any text.
	NoAnswer = "I stopped without writing an answer. Ask again, or ask for the next step."
	// NoRoom ends a turn without any text whose last request filled the chat's window.
	NoRoom = "I ran out of room in this chat. Write /compact to make room, or start a new chat."
	// AnswerGoesOn stands where the answer was cut off and the agent is asked to go on.
	AnswerGoesOn = "The answer became too long and was cut off here. It goes on in smaller pieces; press Stop if you do not want that."
	// AnswerCut ends a turn whose answer hit the model's limit.
	AnswerCut = "The answer was cut off because it became too long. Write \"go on\" to get the rest."
)

// Tool cards.
const (
	// ToolDeniedByPerson is the result of a card that the person denied.
	ToolDeniedByPerson = "You did not allow this. Nothing was changed."
	// ToolDeniedByMode is the result of a card in Plan.
	ToolDeniedByMode = "Not allowed in this mode. Choose Manual to be asked first."
	// ToolDenied is the result of a card that something else refused.
	ToolDenied = "This was not allowed and did not run. The reason is under Details."
	// ToolFailed is the result of a tool that failed.
	ToolFailed = "This did not work. The technical text is under Details."
	// ToolStopped is the result of a card whose turn was stopped.
	ToolStopped = "Stopped before it was done. Check what has changed before you go on."
	// ToolCancelled is the result of a card that was never answered.
	ToolCancelled = "This was not answered and did not run. Ask again if you want it."
	// ToolLost is the result of a card whose process ended.
	ToolLost = "The agent ended while this was running. Check what has changed before you go on."
)
