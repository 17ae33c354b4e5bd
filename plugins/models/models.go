// Package models finds the model that a person means by a name, and words what the
// tools of helper agents say about models. It is pure.
package models

import (
	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
)

// Plugin is the choice of a helper agent's model.
var Plugin = sdk.Plugin{Name: "models", New: func() sdk.Instance {
	return sdk.Instance{Ops: sdk.Ops{
		"resolve": sdk.Op(func(_ *sdk.Task, q abi.ModelQuery) (abi.ModelAnswer, error) {
			return Resolve(q), nil
		}),
		"list": sdk.Op(func(_ *sdk.Task, l abi.ModelList) (abi.ModelText, error) {
			return abi.ModelText{Text: List(l)}, nil
		}),
		"describeTool": sdk.Op(func(_ *sdk.Task, tool abi.ToolText) (abi.ToolText, error) {
			return DescribeTool(tool)
		}),
	}}
}}
