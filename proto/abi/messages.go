package abi

import "strings"

// The sentences that both host sides use for what they refuse or end
// themselves, word for word: they reach plugins and the conformance cases
// compare them. {name} places are filled by Fill.
const (
	// Faults of a call (Call's error). Code, then where it comes from.
	MsgTrap      = "The plugin crashed."                                          // CodeTrap: the engine's own trap
	MsgViolation = "The plugin broke the rules of its interface: {rule}."         // CodeTrap: one of the Rule sentences
	MsgDeadline  = "The plugin did not answer within {ms} ms."                    // CodeDeadline
	MsgStep      = "The plugin ran for {ms} ms without a pause."                  // CodeDeadline: one export over MaxStepMs
	MsgCancelled = "The call was cancelled."                                      // CodeCancelled
	MsgUnknownOp = "The plugin {plugin} has no operation {op}."                   // CodeUnknownOp, by the manifest
	MsgHead      = "The head is not JSON."                                        // CodeBadInput, before the guest is entered
	MsgHash      = "The plugin file is not the one that was expected."            // CodeRefused: other bytes than the hash in the config
	MsgModule    = "The plugin file is not a module this host can run."           // CodeRefused: does not compile, lacks an export, wants another import
	MsgABI       = "The module speaks plugin ABI {got}, this host speaks {want}." // CodeRefused
	MsgPlugin    = "The module holds no plugin named {plugin}."                   // CodeUnknownPlugin, by the manifest

	// What plugins written with the SDK say themselves.
	MsgPanic      = "The plugin ran into a fault of its own."                           // CodePanic; the stack is in the log
	MsgNoEnd      = "The operation ended without an answer."                            // CodePanic: its goroutine ended itself
	MsgInput      = "The head is not what the operation takes: {detail}."               // CodeBadInput
	MsgSyncEffect = "This operation answers at once and may not use the effect {kind}." // CodeNotGranted
	MsgNotReady   = "No plugin was chosen for this instance yet."                       // CodeNotReady
	MsgServes     = "This instance already serves the plugin {plugin}."                 // CodeBadInput
	MsgNoReason   = "The host gave no reason."                                          // CodeFailed: a refusal without a head

	// Answers to effects (the head of a resume whose ok is false).
	MsgNotGranted   = "The operation {op} may not use the effect {kind}." // CodeNotGranted
	MsgNoEffect     = "This host does not offer the effect {kind}."       // CodeRefused
	MsgEffectFailed = "The effect {kind} failed."                         // CodeFailed: an error that no other sentence names
	MsgEffectHead   = "The head is not what the effect {kind} takes."     // CodeBadInput

	MsgSleep = "A sleep lasts 0 to {max} ms." // CodeRefused

	MsgFetchURL     = "The address is not one that can be fetched."  // CodeRefused: no absolute http(s) URL, or one with user information
	MsgFetchHost    = "The plugin may not reach {host}."             // CodeRefused: host[:port] is not on the list
	MsgFetchMethod  = "The method is not one of GET, HEAD and POST." // CodeRefused
	MsgFetchHeader  = "The plugin may not set the header {name}."    // CodeRefused; name in lower case
	MsgFetchTimeout = "The server did not answer within {ms} ms."    // CodeDeadline
	MsgFetchSize    = "The answer is larger than {bytes} bytes."     // CodeRefused
	MsgFetchFailed  = "The server {host} could not be reached."      // CodeFailed; also an answer that broke off

	MsgWebAddress = "The host {host} leads to an address that may not be reached." // CodeRefused: admitAddress did not admit it
	MsgCharset    = "The charset {charset} is not known."                          // CodeRefused

	MsgStoreName    = "The name of a record is 1 to 64 of a-z, 0-9, dot, underscore and hyphen, and does not begin with a dot." // CodeRefused
	MsgStoreMissing = "There is no record named {name}."                                                                        // CodeNotFound
	MsgStoreSize    = "A record holds at most {bytes} bytes."                                                                   // CodeRefused
	MsgStoreFile    = "The record {name} is not a plain file."                                                                  // CodeRefused: a link, a folder
	MsgStoreFailed  = "The plugin's store could not be used."                                                                   // CodeFailed: the disk refused

	MsgPaths = "At most {max} paths are looked up at once." // CodeRefused

	MsgSessionMissing = "There is no such session."                   // CodeNotFound
	MsgConflict       = "The session has moved on since it was read." // CodeConflict
)

// Rules that MsgViolation names: every way in which a guest can break the ABI
// that the host side sees by itself.
const (
	RuleTwice    = "it ended a call twice"                                    // a second done or failed, before the return
	RuleSilent   = "it said a call had ended but pushed no end"               // status done or failed, nothing pushed
	RuleStatus   = "it returned another status than it pushed"                // done pushed, failed or waiting returned; or the reverse
	RuleStuck    = "it waits for an answer but asked for no effect"           // status waiting, no effect of the call open
	RuleForeign  = "it pushed for another call than the one that was entered" // any import naming another call, or one that is over
	RuleToken    = "it used the token of an open effect again"
	RuleAfterEnd = "it asked for an effect after the end of the call"
	RuleSync     = "a sync operation asked for an effect"
	RuleSyncWait = "a sync operation did not end in its export"
	RuleCallZero = "describe and init end at once and use no effect"
	RuleManifest = "its manifest cannot be read"
	RuleHead     = "a head it pushed is not JSON"                     // done's or effect's head; an empty one is allowed
	RuleText     = "a text it pushed is not UTF-8"                    // code, msg, kind, log's msg
	RuleMemory   = "it named memory it does not have"                 // pointer and length out of bounds
	RuleEnum     = "it used a value that the interface does not list" // log level, status
	RuleTooLarge = "it pushed more than the interface allows"         // MaxHeadBytes, MaxBodyBytes
	RuleTooMany  = "it opened more effects than the interface allows" // MaxOpenEffects
)

// Fill puts values into a sentence's {name} places; pairs are name, value.
func Fill(sentence string, pairs ...string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		sentence = strings.ReplaceAll(sentence, "{"+pairs[i]+"}", pairs[i+1])
	}
	return sentence
}
