// Package probe is the plugin of the conformance kit: each op shows one sentence
// of the plugin ABI, by keeping it or by breaking it on request. It is linked
// into a module of its own (cmd/conformance), never into strata.wasm.
package probe

import "strata.dev/bridge/proto/abi"

// every effect that a host side may offer.
var every = []string{
	abi.EffectAsk, abi.EffectSleep, abi.EffectFetch, abi.EffectStoreGet, abi.EffectStorePut, abi.EffectStoreAppend,
	abi.EffectStoreList, abi.EffectStoreDelete, abi.EffectSessionRead, abi.EffectSessionCommit, abi.EffectRealpath,
}

// Table is the probe's op table. In the comments, {…} is the head; an op that
// says nothing of a body ignores it and answers none.
var Table = []abi.Op{
	// Plain answers.
	{Name: "echo", Sync: true},    // any JSON + body → the same head and body; an empty head comes back as null
	{Name: "echoAsync"},           // the same as an async op
	{Name: "config", Sync: true},  // {} → {"config": the instance's config, or null}; config {"failInit":"text"} makes init fail with code "bad-config"
	{Name: "count", Sync: true},   // {} → {"n"}: 1 at the first call of an instance, then 2 …: shows that a trap gave a fresh one
	{Name: "bigBody", Sync: true}, // {"n"} → {"n"} + n bytes, byte i is i mod 251
	{Name: "sum", Sync: true},     // body → {"n": its length, "sum": the sum of its bytes}
	{Name: "now", Sync: true},     // {} → {"ms"}
	{Name: "random", Sync: true},  // {} → {"a","b"}: two numbers as decimal text
	{Name: "logs", Sync: true},    // {"text"} → {}; logs the text at debug, info, warn, error
	{Name: "table", Sync: true, Worker: true, DeadlineMs: 60_000, Default: "d"}, // {} → {}; a row with every field set

	// Ends that are errors.
	{Name: "fail", Sync: true},                          // {"code","message"} → failed with them; without a code: "failed"
	{Name: "failAsync", Effects: []string{"sleep"}},     // the same after a sleep of 1 ms
	{Name: "typed", Sync: true},                         // {"n": a number} → {"n"}; any other n: failed bad-input
	{Name: "panic", Sync: true},                         // → failed panic; the stack is logged at error, the message does not hold it
	{Name: "panicAsync", Effects: []string{"sleep"}},    // the same after a sleep of 1 ms
	{Name: "panicChild", Effects: []string{"sleep"}},    // the same in a goroutine of a Group whose error the handler ignores
	{Name: "nilmap", Sync: true},                        // write to a nil map → failed panic
	{Name: "index", Sync: true},                         // index out of range → failed panic
	{Name: "panicDefault", Sync: true, Default: answer}, // panics; the host side answers {"default":true}

	// Traps. The instance must be dropped; the next call gets a fresh one.
	{Name: "trap", Sync: true},                                      // a fault that Go cannot recover from
	{Name: "trapAsync", Effects: []string{"sleep"}},                 // the same after a sleep of 1 ms
	{Name: "trapDefault", Sync: true, Default: answer},              // traps; the host side answers {"default":true}
	{Name: "deadlock"},                                              // waits on a bare channel: all goroutines are asleep
	{Name: "exit", Sync: true},                                      // os.Exit(3)
	{Name: "recurse", Sync: true},                                   // recurses without end
	{Name: "grow", Sync: true},                                      // {"mib"} → {"mib"}; allocates and touches that much; more than the cap traps
	{Name: "spin", Sync: true, Worker: true, DeadlineMs: 200},       // loops for ever
	{Name: "spinAsync", Worker: true, DeadlineMs: 200},              // loops for ever
	{Name: "twodone", Sync: true},                                   // pushes done twice
	{Name: "foreign", Sync: true},                                   // pushes done for another call (its own number + 1,000,000): a violation
	{Name: "syncEffect", Sync: true, Effects: []string{"sleep"}},    // asks for sleep through the SDK → failed not-granted, nothing reached the host side
	{Name: "rawSyncEffect", Sync: true, Effects: []string{"sleep"}}, // asks for sleep past the SDK: a violation

	// Worker ops, which may run in a guest of their own.
	{Name: "countApart", Sync: true, Worker: true, DeadlineMs: 60_000},                              // {} → {"n"}, of that guest
	{Name: "trapApart", Sync: true, Worker: true, DeadlineMs: 60_000},                               // traps
	{Name: "sleepApart", Worker: true, DeadlineMs: 60_000, Effects: []string{abi.EffectSleep}},      // {"ms"} → {}; logs "slept" at info
	{Name: "sleepApartDeadline", Worker: true, DeadlineMs: 100, Effects: []string{abi.EffectSleep}}, // {"ms"} → {}

	// Effects: each asks for one and answers what came back. An effect that
	// fails: the call fails with the effect's code and message.
	{Name: "ask", Effects: []string{abi.EffectAsk}},                              // AskRequest → AskAnswer
	{Name: "sleep", Effects: []string{abi.EffectSleep}},                          // {"ms"} → {}
	{Name: "sleepDeadline", Effects: []string{abi.EffectSleep}, DeadlineMs: 100}, // {"ms"} → {}
	{Name: "fetch", Effects: []string{abi.EffectFetch}},                          // FetchRequest + body → FetchAnswer + body
	{Name: "storeGet", Effects: []string{abi.EffectStoreGet}},                    // {"name"} → {} + body
	{Name: "storePut", Effects: []string{abi.EffectStorePut}},                    // {"name"} + body → {}
	{Name: "storeAppend", Effects: []string{abi.EffectStoreAppend}},              // {"name"} + body → {}
	{Name: "storeList", Effects: []string{abi.EffectStoreList}},                  // {"name"} → {"names"}
	{Name: "storeDelete", Effects: []string{abi.EffectStoreDelete}},              // {"name"} → {}
	{Name: "sessionRead", Effects: []string{abi.EffectSessionRead}},              // SessionRead → SessionEvents
	{Name: "sessionCommit", Effects: []string{abi.EffectSessionCommit}},          // SessionCommit → SessionCommitted
	{Name: "realpath", Effects: []string{abi.EffectRealpath}},                    // {"paths"} → {"real"}
	{Name: "raw", Effects: every},                                                // {"kind","head": any JSON} + body: that effect with that head → {"head": the answer's, "code","message": of a refusal} + body
	{Name: "notGranted", Effects: []string{}},                                    // asks for sleep, which its row does not grant → {"code","message"} of the refusal

	// Several effects, cancelling, children.
	{Name: "fan", Effects: []string{"fetch"}},         // {"urls"} → {"answers":[{"status"} or {"code","message"}, …]} in the order of urls; all are asked for at once
	{Name: "fanSleep", Effects: []string{"sleep"}},    // {"ms":[…]} → {"codes":["", or the code of a failure, …]}
	{Name: "chain", Effects: []string{"sleep"}},       // {"n"}: n sleeps of 1 ms one after another → {"n"}
	{Name: "many", Effects: []string{"sleep"}},        // {"n"}: n sleeps of 1 ms at once → {"n"}
	{Name: "cancelDefer", Effects: []string{"sleep"}}, // sleeps an hour; a deferred function logs "deferred" at info, so that a cancel shows it
	{Name: "cancelDeaf", Effects: []string{"sleep"}},  // ignores the cancel and sleeps again, for ever; its goroutine ends all the same
	{Name: "lateChild", Effects: []string{"sleep"}},   // {"ms"}: a child sleeps that long, the handler 1 ms → {"ok":true}; the child is cancelled and logs "child: cancelled" at info
	{Name: "open", Sync: true},                        // {} → {"calls"}: calls of the instance that have not ended, this one included
	{Name: "swallow", Effects: []string{"sleep"}},     // asks for sleep {"ms"} and answers {"code"} of its failure, "" if none
}

var answer = map[string]bool{"default": true}
