package abi

// Sources of op parse: who sent the page or reply, and in which shape.
const (
	SourceDuckDuckGo       = "duckduckgo-html"
	SourceDuckDuckGoLite   = "duckduckgo-lite"
	SourceBing             = "bing-html"
	SourceBingRSS          = "bing-rss"
	SourceExa              = "exa"
	SourcePerplexity       = "perplexity-search"
	SourcePerplexityChat   = "perplexity-chat"
	SourceDeepSeek         = "deepseek-search"
	SourceDeepSeekMessages = "deepseek-messages"
)

// Outcomes of op parse.
const (
	OutcomeResults = "results"
	OutcomeNone    = "no_results"     // the source says so itself
	OutcomeBlocked = "blocked"        // the source refuses this client; see BlockKind
	OutcomeUnknown = "layout_unknown" // neither rows nor a refusal nor the source's word for none: never an empty list
	OutcomeError   = "error"          // see ErrorKind
)

// Kinds of a refusal (SearchParsed.BlockKind).
const (
	BlockChallenge   = "challenge"
	BlockForbidden   = "forbidden"
	BlockRateLimited = "rate_limited"
)

// Kinds of an error (SearchParsed.ErrorKind).
const (
	ErrorAuth        = "auth"         // the key is not accepted
	ErrorQuota       = "quota"        // the account has no credit left
	ErrorRateLimited = "rate_limited" // too many requests with this key
	ErrorBadRequest  = "bad_request"  // the question is not one the service takes
	ErrorProvider    = "provider"     // the reply is not what the service documents
	ErrorUpstream    = "upstream"     // the service, or what stands before it, is down
)

// SearchOps is the search plugin's op table.
var SearchOps = []Op{
	{Name: "parse", Sync: true, Worker: true, DeadlineMs: 30_000}, // SearchResponse + body → SearchParsed
	// SearchRequest → SearchAnswer. Its deadline is below the Harness's 60 s for a
	// search, so that what it waited for is told by us.
	{Name: "search", DeadlineMs: 58_000, Effects: []string{EffectFetch, EffectSleep, EffectStoreGet, EffectStorePut}},
	{Name: "fetch", Worker: true, DeadlineMs: 45_000, Effects: []string{EffectFetchWeb, EffectTextDecode}}, // PageRequest → Page + its text
	{Name: "admitAddress", Sync: true, DeadlineMs: 1000},                                                   // AdmitAddress → AddressAdmitted
	{Name: "mark", Sync: true, DeadlineMs: 1000},                                                           // FoundElsewhere → the same, as SearchAnswer's is
}

// SearchResponse is what a source answered: the head of op parse. The body of the
// answer is the call's body.
type SearchResponse struct {
	Engine string     `json:"engine"` // one of the Source constants
	Query  string     `json:"query"`  // what was asked, for telling a decoy page
	HTTP   SearchHTTP `json:"http"`
	// Body is the answer's body where the caller cannot pass raw bytes beside the
	// head; the call's own body goes first.
	Body []byte `json:"bodyBase64,omitempty"`
}

// SearchHTTP is the status line and the headers of an answer; names in any case.
type SearchHTTP struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
}

// SearchParsed is what a source's answer says: the answer of op parse.
type SearchParsed struct {
	Outcome   string `json:"outcome"`
	BlockKind string `json:"blockKind,omitempty"`
	ErrorKind string `json:"errorKind,omitempty"`
	// ErrorMessage is the service's own, or the HTTP status: technical text.
	ErrorMessage string `json:"errorMessage,omitempty"`
	// RetryAfterS is how long the source wants to be left alone, in seconds; 0: it does not say.
	RetryAfterS int `json:"retryAfterS,omitempty"`
	// Suspect says that no result shares a word with the question, as on the pages
	// that Bing shows to programs.
	Suspect bool           `json:"suspect,omitempty"`
	Answer  string         `json:"answer,omitempty"` // a service's own answer text beside its results
	Results []SearchResult `json:"results"`          // in the page's order, each URL once
}

// SearchResult is one result as the source gave it: plain text, not Markdown.
type SearchResult struct {
	Title       string `json:"title"`
	URL         string `json:"url"` // absolute, http or https
	Snippet     string `json:"snippet"`
	PublishedAt string `json:"publishedAt,omitempty"` // ISO 8601: a date or a time
}

// Search services a person may choose (SearchConfig.Service).
const (
	ServiceDuckDuckGo = "duckduckgo" // needs no key; Bing's page is the second source
	ServiceExa        = "exa"
	ServicePerplexity = "perplexity"
	ServiceDeepSeek   = "deepseek"
)

// SearchService is a service that a person may choose.
type SearchService struct {
	ID     string // one of the Service constants
	Name   string // as a person knows it
	Origin string // of its API; "" where it needs no key
}

// SearchServices are all of them; the first one is there without anybody's choice.
var SearchServices = []SearchService{
	{ServiceDuckDuckGo, "DuckDuckGo", ""},
	{ServiceExa, "Exa", "https://api.exa.ai"},
	{ServicePerplexity, "Perplexity", "https://api.perplexity.ai"},
	{ServiceDeepSeek, "DeepSeek", "https://api.deepseek.com"},
}

// FindSearchService gives a service by its id; "" is the first one.
func FindSearchService(id string) (SearchService, bool) {
	for i, s := range SearchServices {
		if s.ID == id || id == "" && i == 0 {
			return s, true
		}
	}
	return SearchService{}, false
}

// SecondEngine is asked where DuckDuckGo refuses, by the name a person knows.
const SecondEngine = "Bing"

// SearchConfig is the search plugin's init config.
type SearchConfig struct {
	// Service is one of the Service constants; "" is DuckDuckGo.
	Service string `json:"service,omitempty"`
	// Origin is where the service's API stands: the host's key proxy, which puts the
	// real key in Token's place. "" is the service's own address.
	Origin string `json:"origin,omitempty"`
	// Token goes where the service wants its key. Without one a service that wants a
	// key is not asked, and DuckDuckGo is.
	Token string `json:"token,omitempty"`
	// Shape picks another API of the service: "chat" of Perplexity, "messages" of DeepSeek.
	Shape string `json:"shape,omitempty"`
	// Language is the tag of the person's language, such as "de-DE"; "" is en-US.
	Language string `json:"language,omitempty"`
}

// Failures of op search: the code of its error. The message is for the model to
// read; a sentence of SearchSentences stands at its beginning, word for word.
const (
	CodeLimited     = "limited"      // every source refuses; the model must not try again
	CodeUnreachable = "unreachable"  // no source could be reached
	CodeKey         = "key"          // the service does not take the key
	CodeCredit      = "credit"       // the account has no credit left
	CodeKeyLimited  = "key-limited"  // too many searches with this key
	CodeQuestion    = "question"     // the service does not take the question
	CodeServiceDown = "service-down" // the service is down
	CodeUnreadable  = "unreadable"   // the service's reply could not be read
)

// Sentences that a person may see of a search that failed. {name} places as in Fill.
const (
	SaidLimited     = "Web search is limited right now. Try again in a minute, or add a search key (Exa, Perplexity or DeepSeek) in Settings -> Tools -> Web search."
	SaidUnreachable = "The web search could not be reached. Check the internet connection and try again."
	SaidKey         = "{service} did not accept the search key. Check the key in Settings -> Tools -> Web search."
	SaidCredit      = "The {service} account has no credit left. Add credit, or choose another search service in Settings -> Tools -> Web search."
	SaidKeyLimited  = "{service} limits how many searches this key may make. Try again in {seconds} seconds."
	SaidQuestion    = "{service} did not take this question. Ask it in other words."
	SaidServiceDown = "{service} is not available right now. Try again in a minute, or choose another search service in Settings -> Tools -> Web search."
	SaidUnreadable  = "{service} sent an answer that could not be read. Try again, or choose another search service in Settings -> Tools -> Web search."
	SaidNoKey       = "No key for {service} is saved, so DuckDuckGo was asked. A key can be added in Settings -> Tools -> Web search."
)

// What an answer's content begins with: who gave it. {engine} is the name of one of
// SearchServices, or SecondEngine.
const (
	SaidAnswered = "{engine} answered this search."
	SaidNothing  = "{engine} found nothing for this question."
)

// SearchSentences are all of them, by the code of the failure they go with; the
// last is a note in an answer that went well.
var SearchSentences = map[string]string{
	CodeLimited: SaidLimited, CodeUnreachable: SaidUnreachable, CodeKey: SaidKey, CodeCredit: SaidCredit,
	CodeKeyLimited: SaidKeyLimited, CodeQuestion: SaidQuestion, CodeServiceDown: SaidServiceDown,
	CodeUnreadable: SaidUnreadable, "no-key": SaidNoKey,
}

// SearchRequest is the head of op search.
type SearchRequest struct {
	Query string `json:"query"`
}

// SearchAnswer is what op search found, ready for a model: titles and snippets
// are Markdown whose every character is text, without characters that are not seen.
type SearchAnswer struct {
	Engine  string         `json:"engine"`  // who answered, by the name a person knows
	Content string         `json:"content"` // who answered, that it comes from the web, what else must be said
	Sources []SearchResult `json:"sources"` // in the page's order; none: nothing was found
	Cached  bool           `json:"cached,omitempty"`
}

// FoundElsewhere is what a provider of the Harness's own found. Op mark cleans it as
// SearchAnswer is, and says before it that it comes from the web.
type FoundElsewhere struct {
	Content string         `json:"content"` // the provider's own text; "" where it has none
	Sources []SearchResult `json:"sources"`
}

// PageRequest is the head of op fetch.
type PageRequest struct {
	URL string `json:"url"`
}

// Page is a page that was fetched, whatever its status. The answer's body is its
// text for a model: Markdown, or plain text of what is no page, behind a line that
// says it comes from the web.
type Page struct {
	URL         string `json:"url"` // after redirects
	Status      int    `json:"statusCode"`
	ContentType string `json:"contentType,omitempty"`
	Title       string `json:"title,omitempty"`
	Truncated   bool   `json:"truncated"`
}

// Failures of op fetch: the code of its error.
const (
	CodeInvalidURL  = "invalid-url"
	CodeBlockedURL  = "blocked-url"
	CodeRedirect    = "redirect" // to another site, or too often
	CodeTimeout     = "timeout"
	CodeContentType = "content-type"
)

// Sentences of a page that was not fetched. {name} places as in Fill.
const (
	SaidInvalidURL  = "This address cannot be fetched: {why}."
	SaidBlockedURL  = "This address may not be fetched: {why}."
	SaidMoved       = "The page moved to another site: {url}. Fetch that address if it is the right one."
	SaidMovedTo     = "The page moved to an address that may not be fetched: {why}."
	SaidLost        = "The site sends this address on and on, so there is no page to read."
	SaidNowhere     = "The site answered {status} and did not say where the page is."
	SaidSlow        = "The site {host} did not answer within {seconds} seconds."
	SaidNotReached  = "The site {host} could not be reached. Check the address."
	SaidNoText      = "The address holds {kind}, which cannot be read as text."
	SaidUnreadCoded = "The site {host} sent the page in a form that cannot be read."
)
