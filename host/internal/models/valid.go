package models

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// What may be said at most.
const (
	maxConnections = 64  // saved ones, and as many engines of the desktop
	maxModels      = 500 // of a connection
	maxName        = 100 // characters
	maxModelID     = 300 // bytes: some servers give a file's path
	maxEngineID    = 60
	maxWindow      = 100 << 20 // tokens
	maxSlots       = 1 << 16
)

// refuse says in plain words what cannot be used.
func refuse(key string, args ...string) error {
	return say.Error(chat.CodeBadRequest, "", key, args...)
}

// validKind takes a kind that there is. What is said instead may be anything, a key too,
// and is not quoted.
func validKind(kind chat.ModelKind) error {
	if connections.Known(kind) {
		return nil
	}
	return refuse(say.KindWrong, "kinds", "openai, anthropic, deepseek, openrouter, local")
}

// seen tells whether a character shows: one that does not can make a name look like
// another's, or a line of a log like two. The two that join letters are of some scripts.
func seen(r rune) bool { return unicode.IsPrint(r) || r == '\u200c' || r == '\u200d' }

// validName takes a shown name without the space around it; "" is none.
func validName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if utf8.RuneCountInString(name) > maxName || strings.ContainsFunc(name, func(r rune) bool { return !seen(r) }) {
		return "", refuse(say.NameWrong, "count", strconv.Itoa(maxName))
	}
	return name, nil
}

// validAddress takes a base URL as it is saved.
func validAddress(address string) (string, error) {
	upstream, err := connections.ParseUpstream(address)
	if err != nil {
		return "", refuse(say.AddressWrong, "why", err.Error())
	}
	return upstream.String(), nil
}

// validModel takes what is said of a model.
func validModel(m chat.ModelSpec) (chat.ModelSpec, error) {
	m.ID = strings.TrimSpace(m.ID)
	if m.ID == "" || len(m.ID) > maxModelID || strings.ContainsFunc(m.ID, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
		return m, refuse(say.ModelWrong, "count", strconv.Itoa(maxModelID))
	}
	var err error
	if m.Name, err = validName(m.Name); err != nil {
		return m, err
	}
	if m.ContextWindow < 0 || m.ContextWindow > maxWindow {
		return m, refuse(say.WindowWrong, "model", m.ID)
	}
	return m, nil
}

// validModels takes the models of a connection.
func validModels(said []chat.ModelSpec) (out []model, err error) {
	if len(said) > maxModels {
		return nil, refuse(say.ModelsMany, "count", strconv.Itoa(maxModels))
	}
	for _, m := range said {
		if m, err = validModel(m); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(other model) bool { return other.ID == m.ID }) {
			return nil, refuse(say.ModelTwice, "model", m.ID)
		}
		out = append(out, model{ModelSpec: m})
	}
	return out, nil
}

func validSlots(slots int) error {
	if slots < 0 || slots > maxSlots {
		return refuse(say.SlotsWrong, "count", strconv.Itoa(maxSlots))
	}
	return nil
}

// check reads what a person says of a connection.
func check(s chat.ConnectionSpec) (out spec, err error) {
	if err := validKind(s.Kind); err != nil {
		return spec{}, err
	}
	out.Kind, out.Slots = s.Kind, s.Slots
	if out.Name, err = validName(s.Name); err != nil {
		return spec{}, err
	}
	address := strings.TrimSpace(s.BaseURL)
	if address == "" {
		address = connections.KindURL(s.Kind)
	}
	if out.BaseURL, err = validAddress(address); err != nil {
		return spec{}, err
	}
	if s.Key != nil {
		key, err := connections.NewKey(strings.TrimSpace(*s.Key))
		if err != nil {
			return spec{}, say.Error(chat.CodeBadRequest, err.Error(), say.KeyWrong)
		}
		out.key = &key
	}
	if err := validSlots(s.Slots); err != nil {
		return spec{}, err
	}
	if out.Models, err = validModels(s.Models); err != nil {
		return spec{}, err
	}
	return out, nil
}

// checkLocal reads what the desktop says of an engine.
func checkLocal(id string, s chat.LocalSpec) (chat.LocalSpec, error) {
	if len(id) > maxEngineID || !connections.ValidID(appPrefix+id) {
		return s, refuse(say.EngineIDWrong, "count", strconv.Itoa(maxEngineID))
	}
	m, err := validModel(chat.ModelSpec{ID: s.Model, Name: s.Name, ContextWindow: s.ContextWindow})
	if err != nil {
		return s, err
	}
	s.Model, s.Name = m.ID, m.Name
	if s.BaseURL, err = validAddress(s.BaseURL); err != nil {
		return s, err
	}
	return s, validSlots(s.Slots)
}
