package scriptmodel

type tools map[string]Schema

func toolset(offered []Tool) tools {
	out := tools{}
	for _, t := range offered {
		out[t.Function.Name] = t.Function.Parameters
	}
	return out
}

func demo(c Conversation, offered tools) []Action { return []Action{say("Hello.")} }
