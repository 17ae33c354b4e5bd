// Command native runs the plugins of strata.wasm as native code behind the wire
// of wasm/conformance/README.md, so that both can be asked the same. It speaks the
// part of the wire that a plugin sees: open, call, answer, close. Every effect
// goes to the runner; what the host sides enforce (op tables, deadlines, faults)
// is not here.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "native:", err)
		os.Exit(1)
	}
}

// serve answers commands, one JSON object a line, until in ends.
func serve(in io.Reader, out io.Writer) error {
	d := &driver{instances: map[string]*instance{}, calls: map[string]*call{}}
	lines, told := bufio.NewReader(in), bufio.NewWriter(out)
	for write := json.NewEncoder(told); ; {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		var c command
		if err == nil {
			err = json.Unmarshal(line, &c)
		}
		if err != nil {
			return fmt.Errorf("reading a command: %w", err)
		}
		events, err := d.do(c)
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := write.Encode(e); err != nil {
				return fmt.Errorf("writing an event: %w", err)
			}
		}
		if err := told.Flush(); err != nil {
			return fmt.Errorf("writing an event: %w", err)
		}
	}
}
