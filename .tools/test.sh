#!/bin/sh
# Every test: Go per module with the race detector, then the shim's and the
# page's under Node. All of it runs even when a part fails.
set -u
cd "$(dirname "$0")/.."
root=$PWD
export STRATA_NEEDS_FILE=$root/.run/needs.txt
mkdir -p .run && : >"$STRATA_NEEDS_FILE"
failed=""

# The tests under Node mostly wait, so they run beside the Go modules that do not
# start a Harness; what they say comes after those.
said=$root/.run/node-tests.txt
{
  status=0
  echo "== node --test shim"
  (cd shim && pnpm --silent test) || status=1
  echo "== node --test page"
  node --test 'host/internal/page/test/*.test.mjs' || status=1
  echo "== node --test muxport"
  node --test 'e2e/muxport/test/*.test.mjs' || status=1
  exit $status
} >"$said" 2>&1 &
node_tests=$!
trap 'trap - TERM; kill 0' INT TERM # a shell's background job does not hear Ctrl+C

gotest() { # module, and more flags
  m=$1; shift
  echo "== go test $m"
  (cd "$m" && go test -race -timeout 15m "$@" ./...) || failed="$failed $m"
}
for m in proto plugins wasm; do gotest $m; done
echo "== go test plugins: time grows as the page does" # which the race detector would only hide
(cd plugins && go test -run '^TestLinear$' ./search/...) || failed="$failed linear"
wait $node_tests || failed="$failed node"
cat "$said"
# These start processes and wait for them: four at a time, whatever the machine has.
for m in host e2e; do gotest $m -parallel 4; done

if [ -s "$STRATA_NEEDS_FILE" ]; then
  echo "Not run on this Harness, which lacks what they need:"
  sort -u "$STRATA_NEEDS_FILE"
fi
if [ -n "$failed" ]; then echo "FAILED:$failed" >&2; exit 1; fi
echo "All tests passed."
