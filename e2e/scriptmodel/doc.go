// Package scriptmodel is an OpenAI chat-completions server for tests and for the
// demo. What it answers depends on the request alone, never on the order of
// requests, so that title, compaction and helper requests get in nobody's way.
//
// # Scripts
//
// A message of a person that holds a script is answered by it. The script begins
// at the first "#! " that starts a line or follows a blank, and goes to the end
// of that line; further lines that begin with "#!" belong to it, other lines do
// not. Directives are parted by " / " or by a new line:
//
//	THINK text            reasoning
//	SAY text              answer text
//	STREAM n [text]       n chunks of a word each (text's words, over and over)
//	CALL tool {json}      a tool call; a JSON string instead is sent as it is,
//	                      for arguments that are no JSON
//	THEN                  ends the step: what follows answers the next request
//	GOAL action           a call of update_goal with the goal's id and revision, as the
//	                      goal tool that was called last has them; "blocked" has a reason
//	HOLD name             waits until Release(name); a released name stays open
//	SLEEP ms              waits
//	HANG [xN]             sends nothing more until the client leaves
//	CUT [xN]              breaks the connection off
//	ERR status [xN] [text]  refuses; "ERR 400 overflow" with OpenAI's words for a
//	                      full window; after some output, as an error event
//	USAGE {json}          merged over the usage that is reported
//	FINISH reason         the finish_reason instead of "stop" or "tool_calls"
//	RESUME n              the script goes on at step n (from 0); written by the
//	                      model itself into a compaction summary
//
// Text that holds " / " or a line break, or ends in a blank, is written as a JSON
// string. Of a step's many directives all are played in order. With xN a fault
// happens the first N times that this step of this very script is asked for, and
// is left out afterwards; this count is all the state there is.
//
// Which step answers is derived from the conversation: the number of assistant
// messages after the person's message. After the last step the model says
// Finished. The prompt of a helper is a script of its own:
//
//	#! CALL subagent {"description":"d","prompt":"#! CALL bash {…} / THEN / SAY done"} / THEN / SAY ok
//
// The text of a goal is a script, too: each of its rounds plays it from the start.
//
// A script that cannot be read is refused with 400 and the reason.
package scriptmodel
