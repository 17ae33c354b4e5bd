package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/agent"
	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/harness"
	"strata.dev/bridge/host/internal/profile"
	"strata.dev/bridge/host/internal/redact"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/proto/chat"
)

// profileCommand looks at what the Harness is started from. It takes the flags of serve,
// and what is saved in the data folder; no host needs to run. An engine that the app has
// loaded is known to the running host alone.
func profileCommand() *cobra.Command {
	c := &cobra.Command{Use: "profile", Short: "Look at what the agent is started from"}
	for _, sub := range []struct {
		use, short string
		run        func(*composed, context.Context, io.Writer) error
	}{
		{"show", "Print the files that a start would write", func(p *composed, _ context.Context, out io.Writer) error { return p.show(out) }},
		{"diff", "Print how these differ from those that were written last", func(p *composed, _ context.Context, out io.Writer) error { return p.diff(out) }},
		{"validate", "Have the agent compose them, and look whether every row of them lands", (*composed).validate},
	} {
		var f flags
		cmd := &cobra.Command{Use: sub.use, Short: sub.short, Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
			if err := f.resolve(); err != nil {
				return err
			}
			p, err := compose(c.Context(), f)
			if err != nil {
				return err
			}
			return sub.run(p, c.Context(), c.OutOrStdout())
		}}
		f.add(cmd)
		c.AddCommand(cmd)
	}
	return c
}

// composed are the files of a profile, and where they belong.
type composed struct {
	flags     flags
	files     profile.Files
	component harness.Component
	home      string
}

// compose makes the files that a start with these flags would write.
func compose(ctx context.Context, f flags) (*composed, error) {
	fixed, _, err := connections.FromFlags(f.model)
	if err != nil {
		return nil, err
	}
	redactor := redact.New()
	registry, chosen, _, err := openSaved(ctx, f, fixed, redactor, zap.NewNop())
	if err != nil {
		return nil, err
	}
	registry.Start(ctx)
	registry.Close()
	settings := f.settings(registry.Connections())
	f.choose(chosen.Choice(), &settings, redactor)
	proxy, err := connections.Listen() // for its address
	if err != nil {
		return nil, err
	}
	defer func() { _ = proxy.Close() }() // nothing was asked of it
	dir := filepath.Join(f.data, "agent")
	component, files, err := agent.New(f.agentOptions(dir, settings, proxy, redactor, zap.NewNop())).Compose()
	if err != nil {
		return nil, err
	}
	p := &composed{flags: f, files: files, component: component, home: agent.Home(dir)}
	p.readdress(proxy.Origin())
	return p, nil
}

// proxied is a field of a profile that begins with the key proxy's address: another one
// at each start. A person's own MCP server has such a field for the proxy's address only.
var proxied = regexp.MustCompile(`(?m)^ +(?:baseURL|origin|url): "(http://127\.0\.0\.1:\d+)/`)

// readdress puts the address of the profile that was written last into the files, or one
// of port 0 where there is none, as it says nothing of a difference.
func (p *composed) readdress(now string) {
	was := "http://127.0.0.1:0"
	if written, err := os.ReadFile(filepath.Join(p.home, filepath.FromSlash(profile.PatchFile))); err == nil {
		if found := proxied.FindSubmatch(written); found != nil {
			was = string(found[1])
		}
	}
	p.files[profile.PatchFile] = bytes.ReplaceAll(p.files[profile.PatchFile], []byte(now+"/"), []byte(was+"/"))
}

func (p *composed) show(out io.Writer) error {
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		fmt.Fprintf(out, "-- %s --\n%s", name, p.files[name])
	}
	return nil
}

func (p *composed) diff(out io.Writer) error {
	same := true
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		written, err := os.ReadFile(filepath.Join(p.home, filepath.FromSlash(name)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if d := diff.Diff("written/"+name, written, "now/"+name, p.files[name]); d != nil {
			same = false
			if _, err := out.Write(d); err != nil {
				return err
			}
		}
	}
	if !same {
		return coded{exitFailed, errors.New(say.Translate(language(os.Getenv), say.ProfileDiffers, nil))}
	}
	return nil
}

// validate has the Harness compose the profile in a folder of its own, with the person's
// own layers.
func (p *composed) validate(ctx context.Context, out io.Writer) (err error) {
	node, err := harness.FindNode(ctx, p.flags.node)
	if err != nil {
		return chatError(err)
	}
	home, err := os.MkdirTemp("", "strata-profile-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	for _, own := range []string{"cordis.patch.yml", "settings.yaml"} {
		data, err := os.ReadFile(filepath.Join(p.home, own))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = store.WriteFile(filepath.Join(home, own), data)
		}
		if err != nil {
			return err
		}
	}
	if _, err := p.files.Write(home); err != nil {
		return err
	}
	cfg := harness.Config{Component: p.component, Node: node, Home: home, Profile: profile.Name}
	tree, warnings, err := harness.DumpConfig(ctx, cfg)
	if err != nil {
		return chatError(err)
	}
	if err := p.files.Check(tree, cfg); err != nil {
		return say.Error(chat.CodeInternal, fmt.Sprintf("%v %s", err, warnings), say.HarnessProfile, "path", p.home)
	}
	fmt.Fprintln(out, say.Translate(language(os.Getenv), say.ProfileValid, map[string]string{"count": strconv.Itoa(p.files.Rows()), "version": p.component.Version}))
	return nil
}

// chatError is what of a failure of the Harness a person reads.
func chatError(err error) error {
	var failed *harness.Error
	if errors.As(err, &failed) {
		return failed.Chat()
	}
	return err
}
