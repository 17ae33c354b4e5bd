package gate

import "strata.dev/bridge/proto/abi"

// modeOf is the mode that holds for a call: the stricter of the root session's
// mode now and the one its turn began under. What is not known is Manual.
func modeOf(call abi.GateCall) abi.Mode {
	mode := knownMode(call.Mode)
	if call.StartMode == "" {
		return mode
	}
	if start := knownMode(call.StartMode); strictness(start) > strictness(mode) {
		return start
	}
	return mode
}

func knownMode(m abi.Mode) abi.Mode {
	switch m {
	case abi.Plan, abi.Bypass:
		return m
	}
	return abi.Manual
}

func strictness(m abi.Mode) int {
	switch m {
	case abi.Plan:
		return 2
	case abi.Bypass:
		return 0
	}
	return 1
}
