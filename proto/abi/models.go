package abi

// ModelsOps is the models plugin's op table. All are pure: equal heads give equal
// answers.
var ModelsOps = []Op{
	{Name: "resolve", Sync: true, DeadlineMs: 2000},      // ModelQuery → ModelAnswer
	{Name: "list", Sync: true, DeadlineMs: 2000},         // ModelList → ModelText
	{Name: "describeTool", Sync: true, DeadlineMs: 2000}, // ToolText → ToolText
}

// ModelRoute is one way to a model that a helper agent can use.
type ModelRoute struct {
	Provider   string `json:"provider"`             // the connection's id
	ID         string `json:"id"`                   // the model's, as its server knows it
	Name       string `json:"name,omitempty"`       // in the model picker; "" is the ID
	Connection string `json:"connection,omitempty"` // the connection's name; "" is the Provider
	Local      bool   `json:"local,omitempty"`      // it runs on this computer
	// What it is good for. Zero values are not known, or not so.
	ContextWindow int64       `json:"contextWindow,omitempty"` // tokens
	Images        bool        `json:"images,omitempty"`        // it reads pictures
	Efforts       []string    `json:"efforts,omitempty"`       // thinking levels that can be chosen
	Price         *ModelPrice `json:"price,omitempty"`         // nil is not known
}

// ModelPrice is what a model costs, in US dollars for a million tokens.
type ModelPrice struct {
	Input  float64 `json:"input"`
	Output float64 `json:"output"`
}

// ModelQuery is the head of op resolve.
type ModelQuery struct {
	// Query is the model as a person names it.
	Query string `json:"query"`
	// Effort is the thinking level that is wanted; "" leaves it to the model.
	Effort string `json:"effort,omitempty"`
	// Routes are all that can be used; the order counts where fits are equal.
	Routes []ModelRoute `json:"routes"`
}

// Kinds of a ModelAnswer.
const (
	ModelMatch     = "match"     // Route is the one; it may be started
	ModelSuggest   = "suggest"   // a close guess, which must not be started
	ModelAmbiguous = "ambiguous" // several fit
	ModelNone      = "none"      // none fits
)

// ModelAnswer is the answer of op resolve.
type ModelAnswer struct {
	Kind  string      `json:"kind"`            // one of the Model kinds
	Route *ModelRoute `json:"route,omitempty"` // of a match alone
	// Effort is the thinking level in the model's own spelling; "" where none was
	// wanted or the model has it not.
	Effort     string       `json:"effort,omitempty"`
	Candidates []ModelRoute `json:"candidates"` // what fits or was meant, best first
	// Message is for the model that asked: a match's name, else why nothing was started
	// and what to do.
	Message string `json:"message"`
}

// ModelList is the head of op list.
type ModelList struct {
	Routes []ModelRoute `json:"routes"`
	// Current is the asking chat's own model, as provider/id; "" is not known.
	Current string `json:"current,omitempty"`
}

// ModelText is the answer of op list, for a model to read.
type ModelText struct {
	Text string `json:"text"`
}

// ToolText is what a tool tells a model of itself: the head of op describeTool with
// the Harness's own words, its answer with ours.
type ToolText struct {
	Tool        string `json:"tool"`        // subagent, subagent_fork or list_subagent_models
	Description string `json:"description"` // "" in the head: the Harness has no such tool
	// Properties are parameters that the tool is to take as well; answer only.
	Properties map[string]ToolProperty `json:"properties,omitempty"`
}

// ToolProperty is the JSON Schema of a parameter.
type ToolProperty struct {
	Type        string `json:"type"`
	Description string `json:"description"`
}
