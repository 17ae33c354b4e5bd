package abi

import (
	"maps"
	"slices"
	"strconv"

	"strata.dev/bridge/proto/scan"
)

// What passes on every tool call has code of its own: with encoding/json that was
// most of a decision's time.

// ReadGateCall reads a call as encoding/json would. It takes only what is written
// plainly, as a host side does; ok is false for the rest.
func ReadGateCall(head []byte) (c GateCall, ok bool) {
	r := scan.NewReader(head)
	var seen uint32
	once := func(member int) {
		if bit := uint32(1) << member; seen&bit != 0 {
			r.Fail() // encoding/json would merge the two
		} else {
			seen |= bit
		}
	}
	for r.Open('{'); r.More('}'); {
		switch string(r.Name()) {
		case "tool":
			c.Tool = r.Text()
		case "arguments":
			c.Arguments = r.Raw()
		case "mode":
			c.Mode = Mode(r.Text())
		case "startMode":
			c.StartMode = Mode(r.Text())
		case "cwd":
			c.CWD = r.Text()
		case "workspace":
			c.Workspace = r.Text()
		case "platform":
			c.Platform = r.Text()
		case "root":
			c.Root = r.Text()
		case "session":
			c.Session = r.Text()
		case "callId":
			c.CallID = r.Text()
		case "said":
			c.Said = whole(r)
		case "unattended":
			c.Unattended = r.Bool()
		case "brief":
			c.Brief = r.Bool()
		case "helpers":
			c.Helpers = whole(r)
		case "provider":
			c.Provider = r.Text()
		case "git":
			once(0)
			c.Git = &GitFacts{}
			c.Git.decode(r)
		case "realpaths":
			once(1)
			c.RealPaths = map[string]string{}
			for r.Open('{'); r.More('}'); {
				name := r.NameText()
				c.RealPaths[name] = r.Text()
			}
		default:
			r.Fail()
		}
	}
	return c, r.End()
}

// ReadGateConfig reads the config as encoding/json would; ok is false for what is
// not written plainly. Without encoding/json the gate is ready a good part sooner.
func ReadGateConfig(config []byte) (c GateConfig, ok bool) {
	r := scan.NewReader(config)
	for r.Open('{'); r.More('}'); {
		switch string(r.Name()) {
		case "secrets":
			c.Secrets = []string{}
			for r.Open('['); r.More(']'); {
				c.Secrets = append(c.Secrets, r.Text())
			}
		case "web":
			for r.Open('{'); r.More('}'); {
				switch string(r.Name()) {
				case "engine":
					c.Web.Engine = r.Text()
				case "skipAsk":
					c.Web.SkipAsk = r.Bool()
				default:
					r.Fail()
				}
			}
		case "unattended":
			c.Unattended = r.Bool()
		case "maxHelpers":
			c.MaxHelpers = whole(r)
		case "helpersBy":
			c.HelpersBy = map[string]int64{}
			for r.Open('{'); r.More('}'); {
				provider := r.NameText()
				c.HelpersBy[provider] = whole(r)
			}
		default:
			r.Fail()
		}
	}
	return c, r.End()
}

func (g *GitFacts) decode(r *scan.Reader) {
	for r.Open('{'); r.More('}'); {
		switch string(r.Name()) {
		case "programs":
			if g.Programs != nil {
				r.Fail()
			}
			g.Programs = []string{}
			for r.Open('['); r.More(']'); {
				g.Programs = append(g.Programs, r.Text())
			}
		case "elsewhere":
			g.Elsewhere = r.Text()
		default:
			r.Fail()
		}
	}
}

// whole reads a whole number.
func whole(r *scan.Reader) int64 {
	n, err := strconv.ParseInt(string(r.Raw()), 10, 64)
	if err != nil {
		r.Fail()
	}
	return n
}

// AppendGateFacts appends facts as encoding/json writes them.
func AppendGateFacts(out []byte, f GateFacts) []byte {
	out = texts(append(out, `{"paths":`...), f.Paths)
	out = optionalList(out, `,"files":`, f.Files)
	out = optionalList(out, `,"folders":`, f.Folders)
	out = strconv.AppendBool(append(out, `,"git":`...), f.Git)
	if f.Helpers {
		out = append(out, `,"helpers":true`...)
	}
	return append(out, '}')
}

// optionalList appends a field with a list of texts, unless it is empty.
func optionalList(out []byte, field string, list []string) []byte {
	if len(list) == 0 {
		return out
	}
	return texts(append(out, field...), list)
}

// AppendGateDecision appends a decision as encoding/json writes it.
func AppendGateDecision(out []byte, d GateDecision) []byte {
	out = text(append(out, '{'), `"decision":`, d.Decision)
	out = text(out, `,"reason":`, d.Reason)
	out = text(out, `,"rule":`, d.Rule)
	out = optional(out, `,"key":`, d.Key)
	if len(d.Args) > 0 {
		out = append(out, `,"args":`...)
		for i, name := range slices.Sorted(maps.Keys(d.Args)) {
			out = scan.AppendText(append(out, "{,"[min(i, 1)]), name, true)
			out = scan.AppendText(append(out, ':'), d.Args[name], true)
		}
		out = append(out, '}')
	}
	if len(d.Parts) > 0 {
		out = append(out, `,"parts":`...)
		for i, p := range d.Parts {
			out = p.appendTo(append(out, "[,"[min(i, 1)]))
		}
		out = append(out, ']')
	}
	out = optional(out, `,"digest":`, d.Digest)
	return append(out, '}')
}

func (p GatePart) appendTo(out []byte) []byte {
	out = text(append(out, '{'), `"text":`, p.Text)
	out = text(out, `,"decision":`, p.Decision)
	out = text(out, `,"rule":`, p.Rule)
	out = optional(out, `,"reason":`, p.Reason)
	return append(out, '}')
}

// AppendGateDigest appends a digest as encoding/json writes it.
func AppendGateDigest(out []byte, d GateDigest) []byte {
	return append(text(append(out, '{'), `"digest":`, d.Digest), '}')
}

// AppendGateVerdict appends a verdict as encoding/json writes it.
func AppendGateVerdict(out []byte, v GateVerdict) []byte {
	out = text(append(out, '{'), `"decision":`, v.Decision)
	out = optional(out, `,"message":`, v.Message)
	out = optional(out, `,"digest":`, v.Digest)
	return append(out, '}')
}

// text appends a member that is always there.
func text(out []byte, name, value string) []byte {
	return scan.AppendText(append(out, name...), value, true)
}

// optional appends a member that is left out when it is empty.
func optional(out []byte, name, value string) []byte {
	if value == "" {
		return out
	}
	return text(out, name, value)
}

// texts appends a list; one that is nil is null.
func texts(out []byte, list []string) []byte {
	if list == nil {
		return append(out, `null`...)
	}
	out = append(out, '[')
	for i, s := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = scan.AppendText(out, s, true)
	}
	return append(out, ']')
}
