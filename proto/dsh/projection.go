package dsh

// Keys of the projections that the bridge reads. That a key is there says nothing
// about a session's abilities: a unit that one preset registers answers for every
// session. Look at the value and at the tool list.
const (
	KeyTitle            = "title"
	KeyPermissions      = "permissions"
	KeyTokenUsage       = "tokenUsage"
	KeyContextPressure  = "contextPressure"
	KeyContextBreakdown = "contextBreakdown"
	KeySessionStats     = "sessionStats"
	KeySessionList      = "sessionListMetadata"
	KeyGoal             = "goal"
	KeySubagent         = "subagent"
	KeySubagentTiming   = "subagentTiming"
	KeyPlan             = "plan"
	KeyInbox            = "inbox"           // ≥ 0.2
	KeySubagentCatalog  = "subagentCatalog" // ≥ 0.1.5: a session's helpers
)

// Permissions is the projection permissions. During a switch CurrentValue passes
// through other presets: wait for command/done.
type Permissions struct {
	CurrentValue string             `json:"currentValue"`
	Options      []PermissionOption `json:"options,omitempty"`
}

// PermissionOption is one preset that /permission takes.
type PermissionOption struct {
	Value       string `json:"value"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
}

// TokenUsage is the projection tokenUsage: the session's sums.
type TokenUsage struct {
	UncachedInputTokens int64 `json:"uncachedInputTokens"`
	OutputTokens        int64 `json:"outputTokens"`
	CacheReadTokens     int64 `json:"cacheReadTokens"`
	CacheWriteTokens    int64 `json:"cacheWriteTokens"`
}

// ContextPressure is the projection contextPressure; all zero before the first
// request. PressureTokens is what the last request measured, ProjectedTokens what
// the next one will be.
type ContextPressure struct {
	PressureTokens  int64 `json:"pressureTokens,omitempty"`
	ProjectedTokens int64 `json:"projectedTokens,omitempty"`
	ContextWindow   int64 `json:"contextWindow,omitempty"`
}

// ContextBreakdown is the projection contextBreakdown: what the context is made of.
type ContextBreakdown struct {
	SystemTokens  int64 `json:"systemTokens"`
	ToolsTokens   int64 `json:"toolsTokens"`
	MessageTokens int64 `json:"messageTokens"`
}

// SessionStats is the projection sessionStats; times are milliseconds.
type SessionStats struct {
	Turns        int   `json:"turns"`
	Steps        int   `json:"steps"`
	LLMMs        int64 `json:"llmMs"`
	ToolMs       int64 `json:"toolMs"`
	TTFTMs       int64 `json:"ttftMs"`
	TTFTSteps    int   `json:"ttftSteps"`
	DecodeMs     int64 `json:"decodeMs"`
	DecodeTokens int64 `json:"decodeTokens"`
}

// SessionList is the projection sessionListMetadata. LastPromptAt is Unix
// milliseconds, 0 before the first prompt.
type SessionList struct {
	Blank        bool  `json:"blank"`
	LastPromptAt int64 `json:"lastPromptAt"`
}

// GoalState is the projection goal.
type GoalState struct {
	Goal          Goal  `json:"goal"`
	RoundsStarted int   `json:"roundsStarted"`
	CreatedAt     int64 `json:"createdAt"`
	UpdatedAt     int64 `json:"updatedAt"`
}

// SubagentState is the projection subagent, of a helper's session.
type SubagentState struct {
	Mode  string `json:"mode"`
	Label string `json:"label"`
	Seq   int64  `json:"seq"`
}

// SubagentTiming is the projection subagentTiming. Active is set while a turn
// runs; its times are Unix milliseconds.
type SubagentTiming struct {
	SettledMs int64 `json:"settledMs"`
	Active    *struct {
		Since   int64 `json:"since"`
		Through int64 `json:"through"`
	} `json:"active,omitempty"`
}

// PlanState is the projection plan.
type PlanState struct {
	Active  bool `json:"active"`
	Pending bool `json:"pending"`
}
