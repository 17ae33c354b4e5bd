// Package tools is what the person chose under Settings → Tools, in the host's settings
// file.
package tools

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
)

// Choice is what the person chose. Its zero value is what holds before they choose.
type Choice struct {
	// Service searches the web: one of abi.SearchServices by its id; "" is the first.
	Service string
	// Keys are the saved keys, by service: one that is left keeps its own.
	Keys map[string]connections.Key
	// WebWithoutAsking lets the assistant search and open pages without a question.
	WebWithoutAsking bool
	// Servers are the MCP servers, by name.
	Servers []connections.Server
}

// Search is the service that is chosen, with its key where one is saved.
func (c Choice) Search() connections.Search {
	service := c.service()
	return connections.Search{Service: service.ID, Key: c.Keys[service.ID]}
}

func (c Choice) service() abi.SearchService {
	service, ok := abi.FindSearchService(c.Service)
	if !ok { // chosen in a newer Strata
		return abi.SearchServices[0]
	}
	return service
}

// Engine is who gets the words of a search, by the name a person knows: the page of a
// second one is asked where DuckDuckGo refuses.
func Engine(s connections.Search) string {
	if !s.Keyed() {
		return abi.SearchServices[0].Name + "/" + abi.SecondEngine
	}
	service, _ := abi.FindSearchService(s.Service)
	return service.Name
}

// Settings are the person's choice on disk, and its keys where keys are kept. They are
// safe for concurrent use.
type Settings struct {
	file    file
	keys    keys
	values  keys // of servers: one for all that a server is given
	changed func(Choice) error

	mu     sync.Mutex
	choice Choice
}

// Open reads the settings file at path, and its keys from the store; a file that is not
// there is the zero Choice. ErrNewer is an error of it. A key that cannot be read now is
// none until it can (Unread).
func Open(ctx context.Context, path string, store *connections.KeyStore) (*Settings, error) {
	s := &Settings{file: file{path: path}, changed: func(Choice) error { return nil }}
	choice, kept, err := s.file.read()
	if err != nil {
		return nil, err
	}
	s.choice = choice
	s.keys = keys{store: store, kept: kept.WebSearch.Kept}
	s.choice.Keys = s.keys.open(ctx, kept.WebSearch.Keys)
	s.values = keys{store: store, kept: kept.values()}
	s.values.give(ctx, s.choice.Servers)
	return s, nil
}

// Unread says which keys could not be read, and why.
func (s *Settings) Unread() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.keys.unread, s.values.unread)
}

// OnChange has f told of each Choice before it is kept: one that f cannot use is not.
func (s *Settings) OnChange(f func(Choice) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = f
}

// Choice is what holds now.
func (s *Settings) Choice() Choice {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.choice.clone()
}

func (c Choice) clone() Choice {
	if c.Keys = maps.Clone(c.Keys); c.Keys == nil {
		c.Keys = map[string]connections.Key{}
	}
	c.Servers = slices.Clone(c.Servers)
	for i := range c.Servers {
		c.Servers[i] = c.Servers[i].Clone()
	}
	return c
}

// Get tells what is chosen, and of keys only whether they are there.
func (s *Settings) Get() chat.ToolSettings {
	c := s.Choice()
	service := c.service()
	out := chat.ToolSettings{WebWithoutAsking: c.WebWithoutAsking, WebSearch: chat.WebSearch{Service: service.ID, KeySet: !c.Keys[service.ID].IsZero()}, Custom: listed(c.Servers)}
	for _, s := range abi.SearchServices {
		out.WebSearch.Services = append(out.WebSearch.Services, chat.SearchService{
			ID: s.ID, Name: s.Name, NeedsKey: s.Origin != "", KeySet: !c.Keys[s.ID].IsZero(),
		})
	}
	return out
}

// Settle moves keys that an earlier version has left in the settings file to where keys
// are kept, and those in the file of the keys into the keyring, where that can be asked.
// The caller is the only one who changes the data folder.
func (s *Settings) Settle(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.settle(ctx); err != nil {
		return err
	}
	kept, err := s.keys.rehouse(ctx)
	values, e := s.values.rehouse(ctx)
	err = errors.Join(err, e)
	if maps.Equal(kept, s.keys.kept) && maps.Equal(values, s.values.kept) {
		return err
	}
	if e := s.file.write(s.choice, kept, values); e != nil {
		return errors.Join(err, e) // the new ones are nobody's: KeyStore.Tidy takes them out
	}
	oldKeys, oldValues := s.keys.kept, s.values.kept
	s.keys.kept, s.values.kept = kept, values
	return errors.Join(err, s.keys.drop(ctx, oldKeys, kept), s.values.drop(ctx, oldValues, values))
}

func (s *Settings) settle(ctx context.Context) error {
	if len(s.keys.plain) == 0 {
		return nil
	}
	kept, err := s.keys.move(ctx, s.choice.Keys)
	if err == nil {
		err = s.file.write(s.choice, kept, s.values.kept)
	}
	if err != nil { // the file has them still
		return errors.Join(err, s.keys.drop(ctx, kept, s.keys.kept))
	}
	s.keys.kept, s.keys.plain = kept, nil
	return nil
}

// Change takes a change in and keeps it. The error is a *chat.Error where the change
// asks for what there is not; then nothing has changed.
func (s *Settings) Change(ctx context.Context, p chat.ToolsPatch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.choice.clone()
	s.keys.reread(ctx, next.Keys) // the keyring may be open now
	if err := next.apply(p); err != nil {
		return err
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	kept := s.keys.kept
	if service := next.service().ID; p.WebSearch != nil && p.WebSearch.Key != nil {
		var err error
		if kept, err = s.keys.put(ctx, service, next.Keys[service]); err != nil {
			return err
		}
	}
	return s.keep(ctx, next, kept, s.values.kept)
}

// keep makes next the choice, with its keys and servers' values where they are kept; or
// forgets what of those was kept for it.
func (s *Settings) keep(ctx context.Context, next Choice, kept, values map[string]connections.KeyRef) error {
	err := s.file.write(next, kept, values)
	if err == nil {
		if err = s.changed(next.clone()); err != nil {
			err = errors.Join(err, s.file.write(s.choice, s.keys.kept, s.values.kept))
		}
	}
	if err != nil {
		return errors.Join(err, s.keys.drop(ctx, kept, s.keys.kept), s.values.drop(ctx, values, s.values.kept))
	}
	oldKeys, oldValues := s.keys.kept, s.values.kept
	s.choice, s.keys.kept, s.values.kept = next, kept, values
	return errors.Join(s.keys.drop(ctx, oldKeys, kept), s.values.drop(ctx, oldValues, values))
}

// apply changes what a person asks for.
func (c *Choice) apply(p chat.ToolsPatch) error {
	if p.WebWithoutAsking != nil {
		c.WebWithoutAsking = *p.WebWithoutAsking
	}
	search := p.WebSearch
	if search == nil {
		return nil
	}
	if search.Service != nil {
		service, ok := abi.FindSearchService(*search.Service)
		if !ok || *search.Service == "" {
			return say.Error(chat.CodeBadRequest, "", say.SearchServiceUnknown, "service", *search.Service, "services", ids())
		}
		c.Service = service.ID
	}
	if search.Key == nil {
		return nil
	}
	service := c.service()
	if service.Origin == "" {
		return say.Error(chat.CodeBadRequest, "", say.SearchKeyless, "service", service.Name)
	}
	if *search.Key == "" {
		delete(c.Keys, service.ID)
		return nil
	}
	key, err := connections.SearchKey(*search.Key)
	if err != nil {
		return err
	}
	c.Keys[service.ID] = key
	return nil
}

// ids lists the services for a person who types one.
func ids() string {
	var all []string
	for _, s := range abi.SearchServices {
		all = append(all, s.ID)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
