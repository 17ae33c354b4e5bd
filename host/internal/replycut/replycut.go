// Package replycut decides what follows an answer that was cut off at the model's
// output limit. It is pure.
package replycut

import "strata.dev/bridge/proto/budget"

// Cut is an answer that was cut off.
type Cut struct {
	Before  int  // how often this message's answer was cut off before
	Empty   bool // the turn showed neither text nor a tool card
	Percent int  // how full the window was after the newest request
}

// GoOn tells whether the agent is asked to go on in smaller pieces. It is not where
// all of the room is used up and nothing was written.
func GoOn(c Cut) bool {
	return c.Before < budget.MostContinued && !(c.Empty && c.Percent >= budget.OutOfRoomPercent)
}

// Ask is what the agent is told, in English as all of its instructions; no person
// reads it.
const Ask = "Your last reply was cut off at the output limit, and a tool call in it that was not finished did not run. " +
	"Go on from where it stopped, without repeating what is there. Work in smaller pieces: " +
	"write a long file in several calls, each with a part of it, and keep each reply short."
