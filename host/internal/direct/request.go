package direct

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// Turn is one message and what came before it in its chat.
type Turn struct {
	Model    string // route, provider/model
	Mode     string // told in the start frame; without tools all modes are alike
	Effort   string // thinking level; one that the model lacks is dropped
	Text     string
	Pictures []chat.Attachment
	Earlier  []chat.Message // oldest first
}

// instructions are the system prompt. A model that is not told takes files for granted.
const instructions = "You are the assistant in a chat. You have no tools here: you cannot read or change files, run commands or open web pages, " +
	"and nothing you write is carried out. Where the person asks for such a thing, say plainly that the agent, which can do it, is not running, " +
	"and help in words. Answer in the person's language."

// PictureTypes are the media types of the pictures that models take.
var PictureTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// check refuses what the model cannot read, before anything is sent.
func (t Turn) check(m connections.Model) *chat.Error {
	for _, p := range t.Pictures {
		if !slices.Contains(PictureTypes, p.MediaType) {
			return say.Error(chat.CodeBadRequest, p.MediaType, say.NotAPicture, "name", p.Name)
		}
	}
	if len(t.Pictures) > 0 && !m.ReadsPictures() {
		return say.Error(chat.CodeBadRequest, "the route does not declare pictures", say.PicturesUnread, "model", t.Model)
	}
	return nil
}

// exchange is the conversation as both APIs want it: what a person wrote and what the
// model answered by turns, a person's first. Messages without an answer are joined to
// the next one.
func (t Turn) exchange() []said {
	var out []said
	for _, m := range t.Earlier {
		text := strings.TrimSpace(m.Text)
		if text == "" {
			text = shown(m.Pictures)
		}
		if text == "" || len(out) == 0 && m.Role != roleUser {
			continue
		}
		out = join(out, said{role: m.Role, text: text})
	}
	return join(out, said{role: roleUser, text: t.Text, pictures: t.Pictures})
}

// shown stands for the pictures of an earlier message, which went without a text and are
// not kept.
func shown(pictures []chat.Picture) string {
	if len(pictures) == 0 {
		return ""
	}
	var names []string
	for _, p := range pictures {
		names = append(names, cmp.Or(p.Name, p.MediaType))
	}
	return "[" + strings.Join(names, ", ") + "]"
}

const (
	roleUser      = "user"
	roleAssistant = "assistant"
	roleSystem    = "system"
)

// said is one message of the conversation.
type said struct {
	role, text string
	pictures   []chat.Attachment
}

func join(all []said, s said) []said {
	if n := len(all); n > 0 && all[n-1].role == s.role {
		all[n-1].text = strings.TrimSpace(all[n-1].text + "\n\n" + s.text)
		all[n-1].pictures = s.pictures
		return all
	}
	return append(all, s)
}

type object = map[string]any

// openAIBody is the body of POST /chat/completions.
func openAIBody(t Turn, c connections.Connection, m connections.Model) ([]byte, error) {
	messages := []object{{"role": roleSystem, "content": instructions}}
	for _, s := range t.exchange() {
		if len(s.pictures) == 0 {
			messages = append(messages, object{"role": s.role, "content": s.text})
			continue
		}
		var parts []object
		if s.text != "" {
			parts = append(parts, object{"type": "text", "text": s.text})
		}
		for _, p := range s.pictures {
			parts = append(parts, object{"type": "image_url", "image_url": object{"url": "data:" + p.MediaType + ";base64," + base64(p.Data)}})
		}
		messages = append(messages, object{"role": s.role, "content": parts})
	}
	body := object{"model": m.ID, "messages": messages, "stream": true, "stream_options": object{"include_usage": true}}
	maps.Copy(body, c.Reason(m, t.Effort))
	if c.FitMaxTokens {
		body["fit_max_tokens"] = true
	}
	return encode(body)
}

// maxTokens bounds an answer of /v1/messages, which wants a bound: what the models
// since Claude 3.5 all take. A model whose own limit is known and lower gets that one.
const maxTokens = 8192

// minAnswer is what thinking leaves of a model's limit for the answer itself, in tokens.
const minAnswer = 1024

// minThinking is the smallest budget for thinking that /v1/messages takes, in tokens.
const minThinking = 1024

// anthropicBody is the body of POST /v1/messages. A thinking level's name on the wire
// is its budget in tokens.
func anthropicBody(t Turn, _ connections.Connection, m connections.Model) ([]byte, error) {
	var messages []object
	for _, s := range t.exchange() {
		var blocks []object
		for _, p := range s.pictures {
			blocks = append(blocks, object{"type": "image", "source": object{"type": "base64", "media_type": p.MediaType, "data": base64(p.Data)}})
		}
		if s.text != "" {
			blocks = append(blocks, object{"type": "text", "text": s.text})
		}
		messages = append(messages, object{"role": s.role, "content": blocks})
	}
	body := object{"model": m.ID, "system": instructions, "messages": messages, "stream": true, "max_tokens": atMost(maxTokens, m)}
	for _, e := range m.Efforts {
		budget, err := strconv.ParseInt(e.Wire, 10, 64)
		if e.Level != t.Effort || err != nil {
			continue
		}
		both := atMost(maxTokens+budget, m) // the bound counts the thinking, too
		if budget = min(budget, both-minAnswer); budget >= minThinking {
			body["max_tokens"] = both
			body["thinking"] = object{"type": "enabled", "budget_tokens": budget}
		}
	}
	return encode(body)
}

// atMost is a bound that the model takes, in tokens.
func atMost(tokens int64, m connections.Model) int64 {
	if m.MaxOutput > 0 {
		return min(tokens, m.MaxOutput)
	}
	return tokens
}

func encode(v any) ([]byte, error) {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding a request: %w", err)
	}
	return []byte(strings.TrimSuffix(out.String(), "\n")), nil
}
