package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/engine"
	"strata.dev/bridge/wasm/engine/effects"
)

// call are the flags of `call`.
type call struct {
	module
	plugin, op, config, effects string
}

func callCommand() *cobra.Command {
	var f call
	c := &cobra.Command{
		Use:   "call --plugin P --op OP",
		Short: "Run one op over JSON lines: one call a line on stdin, one answer a line on stdout",
		Long: `Run one op over JSON lines: one call a line on stdin, one answer a line on stdout, in the same order.

A line is the call's head. Its key bodyBase64 is taken out and passed as the body; a body in the answer comes back so.
What cannot be answered gives {"error":{"code","message"}} (with the op's default, if it has one) and exit code 1 at the end.

Effects are answered from --effects, a file of JSON lines, and refused otherwise. The first line that fits answers:
  {"kind":"ask","match":{"tool":"bash"},"answer":{"head":{"outcome":"allowed-once"}}}
  {"kind":"fetch","times":1,"answer":{"head":{"status":200,"headers":{}},"body":"text"}}
  {"kind":"store.get","op":"restore","error":{"code":"not-found","message":"There is no record named x."}}
match holds members that the head must have; times is how often the line answers; op narrows it to one op;
a body is text (body) or bytes (bodyBase64).`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c.Context(), os.Stdin, os.Stdout) },
	}
	f.flags(c)
	c.Flags().StringVar(&f.plugin, "plugin", "", "the plugin (needed)")
	c.Flags().StringVar(&f.op, "op", "", "the operation (needed)")
	c.Flags().StringVar(&f.config, "config", "", "a file that holds the plugin's config")
	c.Flags().StringVar(&f.effects, "effects", "", "a file of answers to effects")
	return c
}

func (f *call) run(ctx context.Context, in io.Reader, out io.Writer) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if f.plugin == "" || f.op == "" {
		return say("Name the plugin and the operation: strata-plugin call --plugin gate --op decide. `strata-plugin inspect` lists them.")
	}
	config, replay, err := f.files()
	if err != nil {
		return err
	}
	e, _, err := f.load(ctx)
	if err != nil {
		return err
	}
	defer e.Close(ctx)
	if err := f.named(e.Manifest()); err != nil {
		return err
	}
	instance, err := e.Instance(f.plugin, engine.Options{Config: config, Effects: f.answers(replay)})
	if err == nil {
		err = instance.Start(ctx)
	}
	if err != nil {
		return sentence("The plugin "+f.plugin, err)
	}
	return f.lines(ctx, instance, bufio.NewReader(in), bufio.NewWriter(out))
}

// lines answers line after line. Output is held back only while more input is at hand.
func (f *call) lines(ctx context.Context, instance *engine.Instance, in *bufio.Reader, out *bufio.Writer) (err error) {
	defer func() { err = errors.Join(err, out.Flush()) }()
	failed := false
	for n := 1; ; n++ {
		line, rerr := in.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			answer, ok := f.answer(ctx, instance, n, line)
			failed = failed || !ok
			out.Write(append(answer, '\n'))
		}
		switch {
		case rerr == io.EOF && failed:
			return errLines
		case rerr == io.EOF:
			return nil
		case rerr != nil:
			return say("Reading stdin failed: %v.", rerr)
		case in.Buffered() == 0:
			if err := out.Flush(); err != nil {
				return say("Writing to stdout failed: %v.", err)
			}
		}
	}
}

// answer runs one line; ok is false when the answer is an error.
func (f *call) answer(ctx context.Context, instance *engine.Instance, n int, line []byte) (_ []byte, ok bool) {
	head, body, err := splitLine(line)
	if err != nil {
		return errorLine(abi.CodeBadInput, fmt.Sprintf("Line %d cannot be used: %v.", n, err), nil), false
	}
	head, body, err = instance.Call(ctx, f.op, head, body)
	if told := new(engine.Error); errors.As(err, &told) {
		return errorLine(told.Code, told.Message, head), false
	}
	return joinLine(head, body), true
}

// files reads the config and the effects that the flags name.
func (f *call) files() (config []byte, replay *effects.Replay, err error) {
	if f.config != "" {
		if config, err = os.ReadFile(f.config); err != nil {
			return nil, nil, say("The config cannot be read: %v.", err)
		}
	}
	if f.effects == "" {
		return config, nil, nil
	}
	file, err := os.Open(f.effects)
	if err != nil {
		return nil, nil, say("The effects file cannot be read: %v.", err)
	}
	defer file.Close()
	if replay, err = effects.ReadReplay(file); err != nil {
		return nil, nil, say("The effects file %s cannot be used: %v.", f.effects, err)
	}
	return config, replay, nil
}

// answers serves every kind there is: from the file, or with a refusal that
// says what would help.
func (f *call) answers(replay *effects.Replay) engine.Effects {
	all := engine.Effects{}
	if replay != nil {
		all = replay.Effects()
	}
	sentence := "The effect {kind} was asked for and no effects file was given (--effects FILE)."
	if replay != nil {
		sentence = "The effect {kind} was asked for and no line of the effects file is for it."
	}
	for _, kind := range abi.EffectKinds {
		if all[kind] == nil {
			all[kind] = func(context.Context, engine.Effect) ([]byte, []byte, error) {
				return nil, nil, &abi.EffectError{Code: abi.CodeRefused, Message: abi.Fill(sentence, "kind", kind)}
			}
		}
	}
	return all
}

// named refuses a plugin or an op that the module does not have, with those it has.
func (f *call) named(m abi.Manifest) error {
	var plugins, ops []string
	for _, p := range m.Plugins {
		plugins = append(plugins, p.Name)
		for _, op := range p.Ops {
			if p.Name == f.plugin {
				ops = append(ops, op.Name)
			}
		}
	}
	if !slices.Contains(plugins, f.plugin) {
		return say("The module holds no plugin named %s. It holds: %s.", f.plugin, strings.Join(plugins, ", "))
	}
	if !slices.Contains(ops, f.op) {
		return say("The plugin %s has no operation %s. It has: %s.", f.plugin, f.op, strings.Join(ops, ", "))
	}
	return nil
}
