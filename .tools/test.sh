#!/bin/sh
# Every test: Go per module with the race detector, then the shim's and the
# page's under Node. All of it runs even when a part fails.
set -u
cd "$(dirname "$0")/.."
root=$PWD
export STRATA_NEEDS_FILE=$root/.run/needs.txt
mkdir -p .run && : >"$STRATA_NEEDS_FILE"
failed=""

for m in proto plugins wasm host e2e; do
  echo "== go test $m"
  (cd "$m" && go test -race -timeout 10m ./...) || failed="$failed $m"
done
echo "== node --test shim"
(cd shim && pnpm --silent test) || failed="$failed shim"
echo "== node --test page"
node --test 'host/internal/page/test/*.test.mjs' || failed="$failed page"

if [ -s "$STRATA_NEEDS_FILE" ]; then
  echo "Not run on this Harness, which lacks what they need:"
  sort -u "$STRATA_NEEDS_FILE"
fi
if [ -n "$failed" ]; then echo "FAILED:$failed" >&2; exit 1; fi
echo "All tests passed."
