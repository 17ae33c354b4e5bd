package say

// How a web search ends that found nothing. The first nine are the search plugin's own
// (proto/abi), which a card begins with.
const (
	// SearchLimited is the result of a search that every source refused.
	SearchLimited = "Web search is limited right now. Try again in a minute, or add a search key (Exa, Perplexity or DeepSeek) in Settings -> Tools -> Web search."
	// SearchUnreachable is the result of a search that reached no source.
	SearchUnreachable = "The web search could not be reached. Check the internet connection and try again."
	// SearchKeyRefused is the result of a search whose service does not take the key.
	SearchKeyRefused = "{service} did not accept the search key. Check the key in Settings -> Tools -> Web search."
	// SearchCredit is the result of a search whose service wants to be paid.
	SearchCredit = "The {service} account has no credit left. Add credit, or choose another search service in Settings -> Tools -> Web search."
	// SearchKeyLimited is the result of one search too many with a key.
	SearchKeyLimited = "{service} limits how many searches this key may make. Try again in {seconds} seconds."
	// SearchQuestion is the result of a search whose words the service does not take.
	SearchQuestion = "{service} did not take this question. Ask it in other words."
	// SearchDown is the result of a search whose service is down.
	SearchDown = "{service} is not available right now. Try again in a minute, or choose another search service in Settings -> Tools -> Web search."
	// SearchUnreadable is the result of a search whose answer cannot be read.
	SearchUnreadable = "{service} sent an answer that could not be read. Try again, or choose another search service in Settings -> Tools -> Web search."
	// SearchNoKey is said beside an answer that came from DuckDuckGo for want of a key.
	SearchNoKey = "No key for {service} is saved, so DuckDuckGo was asked. A key can be added in Settings -> Tools -> Web search."
)

// How a web page's card ends that was not opened.
const (
	// PageInvalid is the result of an address that names no page.
	PageInvalid = "This is no address of a web page, so it was not opened. Name one that begins with https:// and a site."
	// PageBlocked is the result of an address that leads where nothing may go.
	PageBlocked = "This address does not lead to the public web, or hides where it leads, so it was not opened. Name another page."
	// PageMoved is the result of a page that moved to another site.
	PageMoved = "The page moved to another site, so it was not opened. Where to is under Details; ask for that address if you want it."
	// PageSlow is the result of a site that took too long.
	PageSlow = "The site did not answer in time. Try again later, or name another page."
	// PageNoText is the result of an address that holds no text.
	PageNoText = "There is no text at this address that can be read. Name another page."
	// PageUnreached is the result of a site that cannot be reached.
	PageUnreached = "The site could not be reached. Check the address and the internet connection, and try again."
)

// What is wrong with a choice under Settings → Tools.
const (
	// SearchServiceUnknown refuses a service that there is not.
	SearchServiceUnknown = "There is no search service {service}. Choose one of {services}."
	// SearchKeyless refuses a key for a service that needs none.
	SearchKeyless = "{service} needs no key. Choose the service that the key is for, and give the key again."
	// KeyEmpty refuses a key that is not there.
	KeyEmpty = "No key was given. Copy it from the service's page, and give it again."
	// KeyWrong refuses a key that cannot be one.
	KeyWrong = "This is no key: it is too long, or holds characters that no key has. Copy it again from the service's page."
	// SearchUnreached is what is said where the key proxy cannot reach the service.
	SearchUnreached = "The search service could not be reached from this computer. Check the internet connection and try again."
)
