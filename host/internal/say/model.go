package say

// What a model's own server answers.
const (
	// ModelUnpaid ends a run whose account at the model server is empty.
	ModelUnpaid = "The account at the model server has no credit left. Add some there, or choose another model."
	// ModelWait is ModelLimited where the server says for how long.
	ModelWait = "The model server has too many requests right now. Send the message again in {seconds} seconds."
	// ModelOverloaded ends a run whose model server has no room.
	ModelOverloaded = "The model server is overloaded. Wait a minute and send the message again, or choose another model."
	// ModelDown ends a run whose model server failed by itself.
	ModelDown = "The model server has a fault of its own. Wait a minute and send the message again."
	// ModelSlow ends a run whose model server sent nothing for too long.
	ModelSlow = "The model server did not answer in time. Send the message again, or choose another model."
	// ModelFlagged ends a run whose message the model server did not accept.
	ModelFlagged = "The model server's own rules do not allow this message. Write it differently, or choose another model."
	// AnswerWithheld ends an answer that the model server did not let through.
	AnswerWithheld = "The model server's own rules ended the answer here. Write the message differently, or choose another model."

	// PicturesUnread is said for pictures to a model that reads none.
	PicturesUnread = "The model {model} does not read pictures. Choose one that does, or send the message without them."
	// TooManyPictures is said for more pictures than go with one message.
	TooManyPictures = "At most {count} pictures go with one message. Send the others with the next one."
	// PictureTooLarge is said for a picture with too many bytes or pixels.
	PictureTooLarge = "The picture {name} is larger than {limit}. Make it smaller and send the message again."
	// NotAPicture is said for a file that a model's own service does not take.
	NotAPicture = "The file {name} is no PNG, JPEG, GIF or WebP picture. Remove it, or write what it says into the message."
)
