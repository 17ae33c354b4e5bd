package abi

import (
	"encoding/json"
	"strconv"
)

// AppendManifest appends a manifest as encoding/json writes it. Each guest writes
// one at its start, and the first use of encoding/json is a good part of a start.
func AppendManifest(out []byte, m Manifest) ([]byte, error) {
	out = text(append(out, '{'), `"abi":`, m.ABI)
	out = append(out, `,"plugins":`...)
	if m.Plugins == nil {
		return append(out, `null}`...), nil
	}
	out = append(out, '[')
	for i, p := range m.Plugins {
		if i > 0 {
			out = append(out, ',')
		}
		out = text(append(out, '{'), `"name":`, p.Name)
		out = append(out, `,"ops":`...)
		if p.Ops == nil {
			out = append(out, `null}`...)
			continue
		}
		out = append(out, '[')
		for j, op := range p.Ops {
			if j > 0 {
				out = append(out, ',')
			}
			var err error
			if out, err = op.appendTo(out); err != nil {
				return nil, err
			}
		}
		out = append(out, ']', '}')
	}
	return append(out, ']', '}'), nil
}

func (o Op) appendTo(out []byte) ([]byte, error) {
	out = text(append(out, '{'), `"name":`, o.Name)
	if o.Sync {
		out = append(out, `,"sync":true`...)
	}
	if o.Worker {
		out = append(out, `,"worker":true`...)
	}
	if o.DeadlineMs != 0 {
		out = strconv.AppendInt(append(out, `,"deadlineMs":`...), int64(o.DeadlineMs), 10)
	}
	if len(o.Effects) > 0 {
		out = texts(append(out, `,"effects":`...), o.Effects)
	}
	if o.Default != nil {
		var err error
		if out, err = appendDefault(append(out, `,"default":`...), o.Default); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}

func appendDefault(out []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case GateFacts:
		return AppendGateFacts(out, v), nil
	case GateDecision:
		return AppendGateDecision(out, v), nil
	case GateVerdict:
		return AppendGateVerdict(out, v), nil
	}
	text, err := json.Marshal(v)
	return append(out, text...), err
}
