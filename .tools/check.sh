#!/bin/sh
# Format, vet, staticcheck, generate, tidy and the JS type check; then fails if
# any of it changed a file. Call it through `make check`.
set -eu
cd "$(dirname "$0")/.."
modules="proto plugins wasm host e2e"
state() { { git diff; git status --porcelain; git ls-files -o --exclude-standard -z | xargs -0 -r cat; } | git hash-object --stdin; }
before=$(state)

echo "format";      unformatted=$(gofmt -l $modules); gofmt -w $modules
echo "generate";    .tools/generate.sh
echo "tidy";        for m in $modules; do (cd "$m" && GOWORK=off go mod tidy); done
echo "vet";         for m in $modules; do (cd "$m" && go vet ./...); done
echo "staticcheck"; for m in $modules; do (cd "$m" && staticcheck ./...); done
(cd plugins && GOOS=wasip1 GOARCH=wasm go vet ./cmd/... )
echo "tsc";         (cd shim && pnpm --silent run check); (cd host/internal/page && ../../../shim/node_modules/.bin/tsc -p .); shim/node_modules/.bin/tsc -p e2e/muxport

if [ "$before" != "$(state)" ]; then
  git status --short
  [ -z "$unformatted" ] || echo "not formatted: $unformatted"
  echo "make check changed the files above. Look at the change, commit it and run it again." >&2
  exit 1
fi
echo "make check: nothing to change"
