package say

// Refusals of the HTTP routes.
const (
	// NoToken is said for a request without a token, or with a wrong one.
	NoToken = "This page is not signed in. Open the address that Strata printed when it started."
	// ForeignHost is said for a Host header that is not this host's own.
	ForeignHost = "This address is not the one Strata serves. Open the address that Strata printed when it started."
	// ForeignOrigin is said for a request that another site's page sent.
	ForeignOrigin = "This request came from another site and was refused. Use the chat on Strata's own page."
	// NoRoute is said for a path that does not exist.
	NoRoute = "There is nothing at this address. Open the chat page and try again."
	// NoMethod is said for a known path with the wrong method.
	NoMethod = "This address does not take {method} requests. Reload the chat page and try again."
	// TooLarge is said for a body over chat.MaxBody.
	TooLarge = "This message is larger than {limit}. Save it as a file in the chat's folder and ask about the file, or send a shorter one."
	// NotJSONType is said for a Content-Type other than application/json.
	NotJSONType = "This request is not in the form that Strata reads. Reload the chat page and try again."
	// BadJSON is said for a body that is no JSON of the right shape.
	BadJSON = "This request could not be read. Reload the chat page and try again."
	// FieldMissing is said where a field that a route needs is empty.
	FieldMissing = "This request leaves out {field}. Reload the chat page and try again."
	// FieldWrong is said where a field holds what its route does not take.
	FieldWrong = "This request has a {field} that Strata does not know. Reload the chat page and try again."
	// WireLocal is said where another computer asks for the console.
	WireLocal = "The console works on the computer that Strata runs on. Run \"strata-host wire\" there."
	// NoText is said for a message without text.
	NoText = "The message is empty. Write something and send it again."
	// Internal is said where the host itself is at fault.
	Internal = "Something went wrong in Strata. Try again; the technical text is under Details."
	// ShuttingDown is said while the host ends.
	ShuttingDown = "Strata is closing. Start it again and send your message once more."
)
