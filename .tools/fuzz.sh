#!/bin/sh
# Every fuzz target for FUZZTIME (default 10m) each; crashers are kept in testdata.
# First STRATA_EXECUTE commands that the gate allows are run for real: 5000, or as
# many as in make test when a target gets seconds only. STRATA_SEED plays some again.
set -eu
cd "$(dirname "$0")/.."
time=${FUZZTIME:-10m}
mkdir -p .run

case $time in *m | *h) commands=5000 ;; *) commands=250 ;; esac
export STRATA_EXECUTE="${STRATA_EXECUTE:-$commands}" STRATA_SEED="${STRATA_SEED:-$(date +%s)}"
echo "== $STRATA_EXECUTE commands that the gate allows, run for real; STRATA_SEED=$STRATA_SEED"
(cd plugins && go test -count 1 -timeout 0 -run '^TestAllowedCommandsOnlyLook$' ./gate)

grep -rlE '^func Fuzz[A-Z]' --include='*_test.go' proto plugins wasm host e2e | sort | while read -r file; do
  dir=$(dirname "$file"); module=${dir%%/*}; package=./${dir#"$module"}; [ "$dir" != "$module" ] && package=./${dir#"$module"/}
  grep -oE '^func Fuzz[A-Za-z0-9_]+' "$file" | sed 's/func //' | while read -r target; do
    echo "== $dir $target for $time"
    log=.run/fuzz.log
    (cd "$module" && go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x "$package" </dev/null) >"$log" 2>&1 && { tail -1 "$log"; continue; }
    cat "$log"
    # Go's fuzzer may report its own deadline as a failure when
    # the last input is still running; a crasher always names its file.
    grep -q 'Failing input written' "$log" && exit 1
    grep -q 'context deadline exceeded' "$log" || exit 1
  done
done
