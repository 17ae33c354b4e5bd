package bash

import (
	"mvdan.cc/sh/v3/syntax"

	"strata.dev/bridge/plugins/gate/reason"
)

// redirect refuses every redirect but those that write nothing: to and from
// /dev/null, output into the other output, and input from a file, which it gives.
func (w *Walker) redirect(s *syntax.Stmt, r *syntax.Redirect) (file string, problem Problem) {
	other := Problem{"bash:redirect", reason.Of(reason.Redirects, "text", w.text(r))}
	if r.Hdoc != nil || r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc || r.Op == syntax.WordHdoc {
		return "", Problem{"bash:heredoc", reason.Of(reason.HereText, "program", w.text(s))}
	}
	if r.N != nil && r.N.Value != "0" && r.N.Value != "1" && r.N.Value != "2" {
		return "", other
	}
	if r.Word == nil {
		return "", other
	}
	target, p := w.word(r.Word)
	if !p.None() {
		return "", p
	}
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob:
		if target.Text == "/dev/null" && !target.Glob {
			return "", Problem{}
		}
		return "", Problem{"bash:redirect", reason.Of(reason.WritesFile, "file", target.Text)}
	case syntax.RdrIn:
		_, simple := s.Cmd.(*syntax.CallExpr)
		switch {
		case target.Text == "/dev/null" && !target.Glob:
			return "", Problem{}
		case simple && !target.Glob && target.Text != "" && (r.N == nil || r.N.Value == "0"):
			return target.Text, Problem{}
		}
	case syntax.DplOut:
		if target.Text == "1" || target.Text == "2" {
			return "", Problem{}
		}
	}
	return "", other
}
