package gateway

import "strings"

// Codes of the wire of 0.1.5 and later (harness-wire.md §2.5) that have a meaning of
// their own here. What the older wire has a name for is given under that name.
const (
	CodeCancelled          = "cancelled"           // the call was given up
	CodeArguments          = "arguments-invalid"   // names or shapes of arguments that this version has not
	CodeUnavailable        = "unavailable"         // the Harness has it, but not now or not here
	CodeWriterHeld         = "session-writer-held" // another process owns the session's log
	CodePresetConflict     = "agent-preset-conflict"
	CodeInvalidTimeZone    = "session-invalid-time-zone"
	CodeAttachFailed       = "session-workspace-attach-failed"
	CodeAttachmentInvalid  = "session-attachment-invalid"
	CodeQueueItemNotFound  = "queue-item-not-found"
	CodeSteerUnavailable   = "steer-unavailable"
	CodeTitleInvalid       = "title-invalid"
	CodeForkUnavailable    = "fork-unavailable"
	CodeModelsUnavailable  = "provider-models-unavailable"
	CodeCredentials        = "provider-credentials-unavailable"
	CodeNoProjections      = "projections-unavailable"
	CodeHelperNotFound     = "subagent-not-found"
	CodeHelperCatalog      = "subagent-catalog-diagnostic" // the parent's list of helpers is of no use
	CodeHelperUnauthorized = "subagent-unauthorized"       // not that parent's
	CodeHelperNotResumable = "subagent-not-resumable"
	CodeHelperNoParent     = "subagent-parent-unavailable"
	CodeHelperTimeZone     = "subagent-invalid-time-zone"
	CodeHelperAttachment   = "subagent-attachment-invalid"
	CodeHelperDelivery     = "subagent-delivery-unavailable"
	CodeWorkspaceNotFound  = "workspace-not-found"
	CodeWorkspacePath      = "workspace-invalid-path"
	CodeWorkspaceName      = "workspace-name-conflict"
	CodeWorkspaceActive    = "workspace-session-active"
	CodeWorkspaceMove      = "workspace-move-invalid"
	CodeSettingsRejected   = "settings-rejected"
	CodeSettingsConflict   = "settings-conflict" // changed since
	CodeCredentialRejected = "credential-rejected"
	CodeJobNotFound        = "job-not-found"
	CodeModelDiscovery     = "model-discovery-rejected"
	CodeDirectoryPicker    = "directory-picker" // all of that family
)

// modern gives our word for a code of the newer wire.
var modern = map[string]string{
	"gateway/internal":               CodeInternal,
	"gateway/bad-request":            CodeBadRequest,
	"gateway/cancelled":              CodeCancelled,
	"gateway/protocol":               CodeProtocol,
	"gateway/arguments-invalid":      CodeArguments,
	"gateway/input-invalid":          CodeBadRequest,
	"gateway/result-invalid":         CodeInternal,
	"gateway/signature-invalid":      CodeUnknownMethod, // a stream where a call was meant, or the reverse
	"gateway/method-unavailable":     CodeUnknownMethod,
	"gateway/service-unavailable":    CodeUnavailable,
	"gateway/invocation-unavailable": CodeUnknownMethod, // nothing exports that name
	"gateway/definition-unavailable": CodeUnavailable,
	"gateway/ambiguous-endpoint":     CodeUnknownMethod,
	"gateway/binding-invalid":        CodeInternal,
	"gateway/provider-mismatch":      CodeInternal,
	"gateway/context-failed":         CodeInternal,
	"gateway/context-not-found":      CodeUnavailable,
	"gateway/context-unavailable":    CodeUnavailable,
	"gateway/lookup-failed":          CodeInternal,
	"gateway/lookup-not-found":       CodeSessionNotFound, // of an agentId
	"gateway/lookup-unavailable":     CodeUnavailable,
	"gateway/uplink-overflow":        CodeTooLarge,

	"session/not-found":                        CodeSessionNotFound,
	"session/conflict":                         CodeSessionConflict,
	"session/writer-held":                      CodeWriterHeld,
	"session/agent-busy":                       CodeAgentBusy,
	"session/invalid-time-zone":                CodeInvalidTimeZone,
	"session/workspace-attach-failed":          CodeAttachFailed,
	"session/attachment-invalid":               CodeAttachmentInvalid,
	"session/queue-item-not-found":             CodeQueueItemNotFound,
	"session/steer-unavailable":                CodeSteerUnavailable,
	"session/title-invalid":                    CodeTitleInvalid,
	"session/fork-unavailable":                 CodeForkUnavailable,
	"session/model-unavailable":                CodeModelUnavailable,
	"session/provider-models-unavailable":      CodeModelsUnavailable,
	"session/provider-credentials-unavailable": CodeCredentials,
	"session/projections-unavailable":          CodeNoProjections,
	"agent-preset/conflict":                    CodePresetConflict,
	"agent-preset/not-found":                   CodePresetNotFound, // in no list; named as its family is
	"subagent/not-found":                       CodeHelperNotFound,
	"subagent/catalog-diagnostic":              CodeHelperCatalog,
	"subagent/unauthorized":                    CodeHelperUnauthorized,
	"subagent/not-resumable":                   CodeHelperNotResumable,
	"subagent/parent-unavailable":              CodeHelperNoParent,
	"subagent/invalid-time-zone":               CodeHelperTimeZone,
	"subagent/attachment-invalid":              CodeHelperAttachment,
	"subagent/delivery-unavailable":            CodeHelperDelivery,
	"workspace/not-found":                      CodeWorkspaceNotFound,
	"workspace/invalid-path":                   CodeWorkspacePath,
	"workspace/name-conflict":                  CodeWorkspaceName,
	"workspace/session-active":                 CodeWorkspaceActive,
	"workspace/move-invalid":                   CodeWorkspaceMove,
	"settings/rejected":                        CodeSettingsRejected,
	"settings/conflict":                        CodeSettingsConflict,
	"credential/rejected":                      CodeCredentialRejected,
	"job/not-found":                            CodeJobNotFound,
	"llm/model-discovery-rejected":             CodeModelDiscovery,
}

// ModernCode gives our word for a code of the newer wire; one that is not known is
// given as it is.
func ModernCode(wire string) string {
	if code, ok := modern[wire]; ok {
		return code
	}
	if strings.HasPrefix(wire, "directory-picker/") {
		return CodeDirectoryPicker
	}
	return wire
}
