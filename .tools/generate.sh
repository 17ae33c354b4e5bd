#!/bin/sh
# Writes every generated file anew: WIT bindings, JSON schema, chat.d.ts.
set -eu
cd "$(dirname "$0")/.."
rm -rf plugins/gen/strata
(cd plugins && wit-bindgen-go generate --world plugin --out gen --package-root strata.dev/bridge/plugins/gen ../proto/wit >/dev/null)
gofmt -w plugins/gen
(cd proto && go run ./schema/gen)
