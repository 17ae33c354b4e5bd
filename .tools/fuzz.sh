#!/bin/sh
# Every fuzz target for FUZZTIME (default 10m) each; crashers are kept in testdata.
# First STRATA_EXECUTE commands that the gate allows are run for real: 5000 and every
# line that an option of a rule makes (some 50,000; half an hour), or as many as in
# make test when a target gets seconds only. STRATA_SEED plays some again.
set -eu
cd "$(dirname "$0")/.."
time=${FUZZTIME:-10m}
mkdir -p .run

# Two targets at a time, one worker each: short runs spend most of their time on
# building.
one() { # FILE TARGET
  dir=$(dirname "$1"); module=${dir%%/*}; package=./${dir#"$module"}; [ "$dir" != "$module" ] && package=./${dir#"$module"/}
  log=.run/fuzz-$(echo "$dir" | tr / -)-$2.log
  (cd "$module" && go test -run '^$' -fuzz "^$2\$" -fuzztime "$time" -fuzzminimizetime 10x -parallel 1 "$package" </dev/null) >"$log" 2>&1 &&
    { echo "== $dir $2 for $time: $(tail -1 "$log")"; return; }
  echo "== $dir $2 for $time"
  cat "$log"
  # Go's fuzzer may report its own deadline as a failure when
  # the last input is still running; a crasher always names its file.
  ! grep -q 'Failing input written' "$log" && grep -q 'context deadline exceeded' "$log"
}
if [ "${1:-}" = one ]; then one "$2" "$3"; exit; fi

case $time in *m | *h) commands=5000 options=all ;; *) commands=250 options= ;; esac
export STRATA_OPTIONS="${STRATA_OPTIONS-$options}"
export STRATA_EXECUTE="${STRATA_EXECUTE:-$commands}" STRATA_SEED="${STRATA_SEED:-$(date +%s)}"
echo "== $STRATA_EXECUTE commands that the gate allows, run for real; STRATA_SEED=$STRATA_SEED"
(cd plugins && go test -count 1 -timeout 0 -run '^(TestAllowedCommandsOnlyLook|TestOptionsTakeWhatTheirProgramsTake)$' ./gate)

grep -roE '^func Fuzz[A-Za-z0-9_]+' --include='*_test.go' proto plugins wasm host e2e | sort | sed 's/:func / /' |
  xargs -n 2 -P 2 .tools/fuzz.sh one
