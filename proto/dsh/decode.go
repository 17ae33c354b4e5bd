package dsh

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// eventData and projections name the Go type of each value that the bridge reads.
var (
	eventData = map[string]reflect.Type{
		TypeTurnStart:         reflect.TypeFor[Turn](),
		TypeTurnEnd:           reflect.TypeFor[TurnEnd](),
		TypeStepStart:         reflect.TypeFor[Step](),
		TypeStepEnd:           reflect.TypeFor[Step](),
		TypeInboxSpliced:      reflect.TypeFor[Splice](),
		TypeUserMessage:       reflect.TypeFor[Message](),
		TypeAssistantChunk:    reflect.TypeFor[AssistantChunk](),
		TypeAssistantMessage:  reflect.TypeFor[AssistantMessage](),
		TypeAssistantAttempt:  reflect.TypeFor[AssistantAttempt](),
		TypeToolCall:          reflect.TypeFor[ToolCall](),
		TypeToolResult:        reflect.TypeFor[ToolResult](),
		TypeApprovalAsked:     reflect.TypeFor[Approval](),
		TypeApprovalDecided:   reflect.TypeFor[Approval](),
		TypeApprovalPolicy:    reflect.TypeFor[Value](),
		TypePermissionPreset:  reflect.TypeFor[Value](),
		TypeSandboxMode:       reflect.TypeFor[Value](),
		TypeCommandRun:        reflect.TypeFor[Command](),
		TypeCommandDone:       reflect.TypeFor[Command](),
		TypeSubagent:          reflect.TypeFor[Subagent](),
		TypeRequestHeader:     reflect.TypeFor[RequestHeader](),
		TypeRequestContext:    reflect.TypeFor[RequestContext](),
		TypeCompactionStart:   reflect.TypeFor[Compaction](),
		TypeCompactionSummary: reflect.TypeFor[CompactionSummary](),
		TypeCompactionEnd:     reflect.TypeFor[Compaction](),
		TypeLLMRetry:          reflect.TypeFor[Retry](),
		TypeLLMRetryStarted:   reflect.TypeFor[RetryStarted](),
		TypeSessionTitle:      reflect.TypeFor[Title](),
		TypeGoalChange:        reflect.TypeFor[GoalChange](),
		TypeStockSearch:       reflect.TypeFor[StockSearch](),
	}
	projections = map[string]reflect.Type{
		KeyTitle:            reflect.TypeFor[string](),
		KeyPermissions:      reflect.TypeFor[Permissions](),
		KeyTokenUsage:       reflect.TypeFor[TokenUsage](),
		KeyContextPressure:  reflect.TypeFor[ContextPressure](),
		KeyContextBreakdown: reflect.TypeFor[ContextBreakdown](),
		KeySessionStats:     reflect.TypeFor[SessionStats](),
		KeySessionList:      reflect.TypeFor[SessionList](),
		KeyGoal:             reflect.TypeFor[GoalState](),
		KeySubagent:         reflect.TypeFor[SubagentState](),
		KeySubagentTiming:   reflect.TypeFor[SubagentTiming](),
		KeyPlan:             reflect.TypeFor[PlanState](),
		KeyInbox:            reflect.TypeFor[Inbox](),
		KeySubagentCatalog:  reflect.TypeFor[[]SubagentCatalog](),
	}
)

// Decode gives the event's typed data: a pointer to one of the structs of this
// package. An event type that the bridge does not read gives nil, nil. Where a
// field has another JSON type than ours, the rest is given together with the
// error, so that a turn/end with a strange reason still ends the turn; data that
// is no JSON object at all gives nil and an error.
func Decode(e Event) (any, error) {
	v, err := into(eventData[e.Type], e.Data)
	if err != nil {
		return v, fmt.Errorf("decoding %s of seq %d: %w", e.Type, e.Seq, err)
	}
	return v, nil
}

// DecodeProjection gives a projection's typed value: a pointer to one of the
// structs of this package, or to a string for the title. A key that the bridge
// does not read, and a value of null, give nil, nil.
func DecodeProjection(key string, value json.RawMessage) (any, error) {
	if string(value) == "null" {
		return nil, nil
	}
	v, err := into(projections[key], value)
	if err != nil {
		return v, fmt.Errorf("decoding projection %s: %w", key, err)
	}
	return v, nil
}

func into(t reflect.Type, data json.RawMessage) (any, error) {
	if t == nil {
		return nil, nil
	}
	v := reflect.New(t)
	err := json.Unmarshal(data, v.Interface())
	if err == nil {
		return v.Interface(), nil
	}
	// encoding/json goes on behind a field of the wrong type.
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) && wrong.Field != "" {
		return v.Interface(), err
	}
	return nil, err
}
