package chat

// ModelKind is who serves a connection's models.
type ModelKind string

// The kinds.
const (
	KindOpenAI     ModelKind = "openai" // any service with OpenAI's chat completions
	KindAnthropic  ModelKind = "anthropic"
	KindDeepSeek   ModelKind = "deepseek"
	KindOpenRouter ModelKind = "openrouter"
	KindLocal      ModelKind = "local" // a model server of the person's own, which is asked whether it is ready
)

// ConnectionSpec is what a person says of a connection: the body of POST /api/models
// and of PUT /api/models/{id}, which replaces what was said before.
type ConnectionSpec struct {
	Kind    ModelKind `json:"kind"`
	Name    string    `json:"name,omitempty"`    // shown; "" is the kind's own
	BaseURL string    `json:"baseUrl,omitempty"` // "" is the kind's own
	// Key is the service's; null or left out keeps the one there is, "" removes it. No
	// route ever gives it out.
	Key *string `json:"key,omitempty"`
	// Models are the ones to choose from. None of a local server are all that it has.
	Models []ModelSpec `json:"models,omitempty"`
	Slots  int         `json:"slots,omitempty"` // requests that a local server works on at once; 0 is what it tells
}

// ModelSpec is what a person says of a model.
type ModelSpec struct {
	ID            string `json:"id"`                      // as the server knows it
	Name          string `json:"name,omitempty"`          // shown; "" is the server's
	ContextWindow int64  `json:"contextWindow,omitempty"` // in tokens; 0 is what the server tells
	Images        *bool  `json:"images,omitempty"`        // false: it is to read no pictures
}

// LocalSpec is the body of PUT /api/models/local/{id}, by which the desktop tells of an
// engine that it has loaded.
type LocalSpec struct {
	BaseURL       string `json:"baseUrl"`
	Model         string `json:"model"`
	Name          string `json:"name,omitempty"`
	ContextWindow int64  `json:"contextWindow,omitempty"` // in tokens; 0 is not known
	Slots         int    `json:"slots,omitempty"`         // requests at once; 0 is not known
	Images        *bool  `json:"images,omitempty"`        // false: it was loaded without reading pictures
	// External says that the app has not loaded it: the engine may lack fit_max_tokens.
	External bool `json:"external,omitempty"`
}

// ModelOrigin is where a connection comes from.
type ModelOrigin string

// The origins.
const (
	FromPerson ModelOrigin = "saved"
	FromApp    ModelOrigin = "app"          // the desktop has loaded it
	FromFlags  ModelOrigin = "command-line" // of strata-host serve
)

// KeyPlace is where a key is kept.
type KeyPlace string

// The places; an empty one is none.
const (
	KeyInKeyring KeyPlace = "keyring" // of the system
	KeyInFile    KeyPlace = "file"    // in the data folder, for its user alone
	KeyInFlags   KeyPlace = "command-line"
)

// Ask is a figure that nobody knows and that the person is asked for.
type Ask string

// The figures.
const (
	AskWindow Ask = "contextWindow" // without it the model cannot be chosen
	AskSlots  Ask = "slots"
)

// ModelConnection is a connection as it stands.
type ModelConnection struct {
	ID      string      `json:"id"`
	Kind    ModelKind   `json:"kind"`
	Name    string      `json:"name"`
	BaseURL string      `json:"baseUrl"`
	Origin  ModelOrigin `json:"origin"`
	KeyIn   KeyPlace    `json:"keyIn,omitempty"` // where its key is; "" is nowhere
	// Ready says that its models can be chosen. The sentence says why not.
	Ready bool `json:"ready"`
	Sentence
	Details string `json:"details,omitempty"`
	Slots   int    `json:"slots,omitempty"` // requests that it works on at once; 0 is not known, or not bounded
	// Said are the person's own words of its models, SaidSlots of its slots.
	Said      []ModelSpec `json:"said,omitempty"`
	SaidSlots int         `json:"saidSlots,omitempty"`
	Models    []ModelInfo `json:"models"`
	Asks      []Ask       `json:"asks,omitempty"`
}

// ModelInfo is a model as it stands.
type ModelInfo struct {
	ID            string   `json:"id"`
	Name          string   `json:"name"`
	Route         string   `json:"route,omitempty"` // by which a chat chooses it; "" while it cannot
	ContextWindow int64    `json:"contextWindow,omitempty"`
	Images        bool     `json:"images,omitempty"`   // it reads pictures
	Thinking      []string `json:"thinking,omitempty"` // levels that can be chosen
	Price         *Price   `json:"price,omitempty"`
	Asks          []Ask    `json:"asks,omitempty"`
}

// Price is what a million tokens cost, in US dollars.
type Price struct {
	Input     float64 `json:"input"`
	Output    float64 `json:"output"`
	CacheRead float64 `json:"cacheRead,omitempty"` // 0: not known
}

// ModelsAnswer is the body of GET /api/models.
type ModelsAnswer struct {
	Connections []ModelConnection `json:"connections"`
	Default     string            `json:"default,omitempty"` // route of a chat that chooses none
	// KeysIn is where keys are: in KeyFile while one is there, of a tool too, or while the
	// next one would go there.
	KeysIn  KeyPlace `json:"keysIn"`
	KeyFile string   `json:"keyFile"`
}

// ModelDefault is the body of PUT /api/models/default.
type ModelDefault struct {
	Route string `json:"route"` // "" is the first one
}

// ModelOffer is a model that a provider lists, as far as it tells.
type ModelOffer struct {
	ID            string `json:"id"`
	Name          string `json:"name,omitempty"`
	ContextWindow int64  `json:"contextWindow,omitempty"` // in tokens; 0 is not told
	MaxOutput     int64  `json:"maxOutput,omitempty"`     // in tokens; 0 is not told
	Images        *bool  `json:"images,omitempty"`        // null is not told
	Reasoning     bool   `json:"reasoning,omitempty"`     // the list says that it takes a thinking level
	Price         *Price `json:"price,omitempty"`
}

// ModelOffers is what a provider has: the body of GET /api/models/{id}/offers. Where the
// list could not be read the sentence says so, and Models is the newest one that was.
type ModelOffers struct {
	Models []ModelOffer `json:"models"`
	ReadAt int64        `json:"readAt,omitempty"` // Unix milliseconds; 0 is never
	Sentence
	Details string `json:"details,omitempty"`
}

// ModelTest is what trying a connection came to: the answer of POST /api/models/test,
// whose body is a ConnectionSpec, and of POST /api/models/{id}/test.
type ModelTest struct {
	OK bool `json:"ok"`
	Sentence
	Details string       `json:"details,omitempty"`
	Models  []ModelOffer `json:"models"` // that it has
}
