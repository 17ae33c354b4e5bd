package dsh

// Turn is the data of turn/start.
type Turn struct {
	Turn int `json:"turn"`
}

// Step is the data of step/start and step/end.
type Step struct {
	Turn int `json:"turn"`
	Step int `json:"step"`
}

// TurnEnd is the data of turn/end.
type TurnEnd struct {
	Turn   int       `json:"turn"`
	Reason EndReason `json:"reason"`
}

// EndReason says how a turn ended. Kind is one of completed, aborted, blocked,
// error, max-tokens, interrupted, forked (harness-contract.txt); Cause is set
// for aborted (user, parent, hook, disposed, legacy), Error for error. In a
// chunk of type finish Kind is one of stop, tool-calls, max-tokens, aborted,
// error, and Failure is set for error.
type EndReason struct {
	Kind    string     `json:"kind"`
	Cause   *KindOnly  `json:"reason,omitempty"`
	Error   *LLMFailed `json:"error,omitempty"`
	Failure *LLMFailed `json:"failure,omitempty"`
}

// KindOnly is an object of which only its kind matters here.
type KindOnly struct {
	Kind string `json:"kind"`
}

// LLMFailed is a failed model request. Code is AUTH, RATE_LIMIT, TRANSPORT,
// CONTEXT_WINDOW_EXCEEDED, MISSING_CREDENTIAL, INVALID_REQUEST, SERVER, …
type LLMFailed struct {
	Code         string  `json:"code"`
	Message      string  `json:"message"`
	Status       int     `json:"status,omitempty"`
	RetryAfterMs float64 `json:"providerRetryAfterMs,omitempty"`
}

// Retry is the data of llm/retry.
type Retry struct {
	Turn       int       `json:"turn,omitempty"`
	Step       int       `json:"step,omitempty"`
	RetryID    string    `json:"retryId,omitempty"`
	Retry      int       `json:"retry"`
	MaxRetries int       `json:"maxRetries"`
	DelayMs    float64   `json:"delayMs"`
	Failure    LLMFailed `json:"failure"`
}

// RetryStarted is the data of llm/retry-started: the wait is over.
type RetryStarted struct {
	Turn    int    `json:"turn"`
	Step    int    `json:"step"`
	RetryID string `json:"retryId"`
	Retry   int    `json:"retry"`
}

// RequestHeader is the data of request/header: what the next model requests are
// made with. The system prompt and the tools in it are not read.
type RequestHeader struct {
	Reason string `json:"reason"` // initial, resume, change, series
	Header struct {
		Config RequestConfig `json:"config"`
	} `json:"header"`
}

// RequestConfig is the model part of a RequestHeader.
type RequestConfig struct {
	Provider        string `json:"provider"`
	Model           string `json:"model"`
	ReasoningEffort string `json:"reasoningEffort,omitempty"`
	MaxTokens       int64  `json:"maxTokens,omitempty"`
}

// RequestContext is the data of request/context.
type RequestContext struct {
	Provider      string `json:"provider"`
	Model         string `json:"model"`
	ContextWindow int64  `json:"contextWindow"`
}
