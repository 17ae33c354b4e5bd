package reason

// What only the model reads: why a call did not run, and what it should do now.
// A person meets these at most under Details, so nobody translates them.
const (
	NoWeb     = "The person did not allow web access for this chat, so it did not run. Go on without it and say so."
	NoWebNote = "The person did not allow web access for this chat, so it did not run. Their note: “{note}” Go on without it and say so."
	// TooManyHelpers is said where as many helpers are at work as may be.
	TooManyHelpers = "There are already {max} helper agents at work, which is as many as can work at once here. This one was not started. Wait until one of them has reported, then start it again, or do the work yourself."
	NoMode         = "Not allowed in this mode. The chat is in Plan mode, where nothing is changed. {reason} Do not try it another way: look around with reading tools and put the change into the plan."
	SaidNo         = "The person said no to this: {reason} It did not run. Do not try it another way; go on without it or ask the person what they want instead."
	SaidNoNote     = "The person said no to this: {reason} It did not run. Do not try it another way; follow their note, or ask them what they want instead. Their note: “{note}”"
	NoAnswer       = "The question to the person ended without an answer, so this did not run. That is neither a yes nor a no. Stop here and tell the person what you wanted to do: {reason}"
	NotAsked       = "The person could not be asked about this, so it did not run. That is neither a yes nor a no. Tell the person what you wanted to do: {reason}"
	TooOften       = "The person has said no to this three times, so they were not asked again and it did not run. Go on without it, or end here and ask the person what they want instead."
	NotWritten     = "This was allowed, but that could not be written down, so it did not run. Tell the person that the disk may be full."
	Changed        = "What the person answered was not the call that would have run, so it did not run. Nothing was changed. Ask again if it is still needed."
)
