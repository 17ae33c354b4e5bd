package dsh

// ToolCall is the data of tool/call; Arguments is JSON text.
type ToolCall struct {
	Turn      int    `json:"turn"`
	Step      int    `json:"step"`
	CallID    string `json:"callId"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// ToolResult is the data of tool/result.
type ToolResult struct {
	Turn    int     `json:"turn"`
	Step    int     `json:"step"`
	Message Message `json:"message"`
	Error   *Coded  `json:"error,omitempty"`
}

// Coded is an error of which name, code and message are known (0.1.0 gives no
// message: it is in the result's content).
type Coded struct {
	Name    string `json:"name,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message,omitempty"`
}

// Approval is the data of approval/asked (Reason) and approval/decided (Outcome:
// allowed-once, rejected, cancelled, unavailable).
type Approval struct {
	ID       string `json:"id"`
	ToolName string `json:"toolName,omitempty"`
	CallID   string `json:"callId,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Outcome  string `json:"outcome,omitempty"`
}

// Value is one of the string-valued switches: sandbox/mode (Mode),
// approval/policy (Policy) or permission/preset (Preset).
type Value struct {
	Mode   string `json:"mode,omitempty"`
	Policy string `json:"policy,omitempty"`
	Preset string `json:"preset,omitempty"`
}

// Command is the data of command/run and command/done.
type Command struct {
	CommandID string `json:"commandId"`
	Name      string `json:"name,omitempty"`
	Args      string `json:"args,omitempty"` // run
	Kind      string `json:"kind,omitempty"` // done: success or error
	Text      string `json:"text,omitempty"` // done
}

// StockSearch is the data of web/deepseek-search-llm-request, which stands between a
// search's call and its result.
type StockSearch struct{}
