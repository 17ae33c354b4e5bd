package remotemux_test

import (
	"fmt"
	"slices"
	"strings"

	"strata.dev/bridge/host/internal/gateway"
)

func contains(err error, text string) bool { return strings.Contains(err.Error(), text) }

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

func noticeLine(n gateway.Notice) string {
	switch {
	case n.SessionAdded != nil:
		s := n.SessionAdded
		return fmt.Sprintf("added {%s %s %s %s}", s.ID, s.ParentID, s.Origin, s.CWD)
	case n.SessionGone != "":
		return "gone " + n.SessionGone
	case n.SessionStatus != nil:
		return fmt.Sprintf("%s running %v", n.SessionStatus.SessionID, n.SessionStatus.Running)
	case n.Connection != nil:
		return fmt.Sprintf("connected %v", n.Connection.Up)
	case n.Question != nil:
		return "question " + n.Question.SessionID
	case n.Queue != nil:
		line := "queue " + n.Queue.SessionID + ":"
		for _, it := range n.Queue.Items {
			line += " " + it.Placement + " " + it.Message.Content[0].Text
		}
		return line
	case n.Approval != nil:
		return "approval " + n.Approval.ApprovalID
	default:
		return "resolved " + n.Resolved.ApprovalID + " " + n.Resolved.Outcome
	}
}
