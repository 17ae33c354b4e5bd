#!/bin/sh
# Every test: Go per module with the race detector, the shim's and the page's under
# Node. All of it runs even when a part fails. Tests that start a Harness mostly wait,
# so two lanes run beside each other; what a module says comes when it has ended.
set -u
cd "$(dirname "$0")/.."
root=$PWD
export STRATA_NEEDS_FILE=$root/.run/needs.txt
said=$root/.run/tests
rm -rf "$said" && mkdir -p "$said" && : >"$STRATA_NEEDS_FILE"
trap 'trap - TERM; kill 0' INT TERM # a shell's background job does not hear Ctrl+C

part() { # name, command: keeps what it says until it has ended, and notes that it failed
  name=$1; shift
  "$@" >"$said/$name.txt" 2>&1 || echo "$name" >>"$said/failed"
  echo "== $name"; cat "$said/$name.txt"
}
gotest() { m=$1; shift; (cd "$m" && go test -race -timeout 15m "$@" ./...); }
node_tests() {
  status=0
  (cd shim && pnpm --silent test) || status=1
  node --test 'host/internal/page/test/*.test.mjs' || status=1
  node --test 'e2e/muxport/test/*.test.mjs' || status=1
  return $status
}

# Those that start processes: four packages, and four tests of each, at a time, whatever
# the machine has.
waiting="-p 4 -parallel 4"
{ part node node_tests; part host gotest host $waiting; } &
lane=$!
for m in proto plugins wasm; do part $m gotest $m; done
part e2e gotest e2e $waiting
wait $lane
# How time grows: the race detector, or another test beside it, would only hide that.
linear() { (cd plugins && go test -run '^TestLinear$' ./search/...); }
part linear linear

if [ -s "$STRATA_NEEDS_FILE" ]; then
  echo "Not run on this Harness, which lacks what they need:"
  sort -u "$STRATA_NEEDS_FILE"
fi
if [ -s "$said/failed" ]; then echo "FAILED:" $(cat "$said/failed") >&2; exit 1; fi
echo "All tests passed."
