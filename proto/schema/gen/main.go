// Command gen writes chat.schema.json and chat.d.ts. Run it in proto/:
//
//	go run ./schema/gen
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"strata.dev/bridge/proto/schema"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	src := os.DirFS("chat")
	js, err := schema.JSON(src)
	if err != nil {
		return err
	}
	ts, err := schema.TypeScript(src)
	if err != nil {
		return err
	}
	for name, b := range map[string][]byte{"chat.schema.json": js, "chat.d.ts": ts} {
		if err := os.WriteFile(filepath.Join("schema", name), b, 0o644); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return nil
}
