package dsh

import (
	"encoding/json"
	"fmt"
)

// decoders make the typed data of each event type that the bridge reads.
var decoders = map[string]func(json.RawMessage) (any, error){
	TypeTurnStart:        into[Turn],
	TypeTurnEnd:          into[TurnEnd],
	TypeStepStart:        into[Step],
	TypeStepEnd:          into[Step],
	TypeUserMessage:      into[Message],
	TypeAssistantChunk:   into[AssistantChunk],
	TypeAssistantMessage: into[AssistantMessage],
	TypeToolCall:         into[ToolCall],
	TypeToolResult:       into[ToolResult],
	TypeApprovalAsked:    into[Approval],
	TypeApprovalDecided:  into[Approval],
	TypeApprovalPolicy:   into[Value],
	TypePermissionPreset: into[Value],
	TypeSandboxMode:      into[Value],
	TypeCommandRun:       into[Command],
	TypeCommandDone:      into[Command],
	TypeSubagent:         into[Subagent],
	TypeRequestContext:   into[RequestContext],
	TypeCompactionStart:  into[Compaction],
	TypeCompactionEnd:    into[Compaction],
	TypeLLMRetry:         into[Retry],
	TypeSessionTitle:     into[Title],
	TypeInboxSpliced:     into[Splice],
}

// Decode gives the event's typed data: a pointer to one of the structs of this
// package. An event type that the bridge does not read gives nil, nil. Data that
// does not fit its type is an error; the caller counts it and goes on.
func Decode(e Event) (any, error) {
	decode, ok := decoders[e.Type]
	if !ok {
		return nil, nil
	}
	v, err := decode(e.Data)
	if err != nil {
		return nil, fmt.Errorf("decoding %s of seq %d: %w", e.Type, e.Seq, err)
	}
	return v, nil
}

func into[T any](data json.RawMessage) (any, error) {
	v := new(T)
	if err := json.Unmarshal(data, v); err != nil {
		return nil, err
	}
	return v, nil
}
