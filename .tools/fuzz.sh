#!/bin/sh
# Every fuzz target for FUZZTIME (default 10m) each; crashers are kept in testdata.
set -eu
cd "$(dirname "$0")/.."
time=${FUZZTIME:-10m}
grep -rlE '^func Fuzz[A-Z]' --include='*_test.go' proto plugins wasm host e2e | sort | while read -r file; do
  dir=$(dirname "$file"); module=${dir%%/*}; package=./${dir#"$module"}; [ "$dir" != "$module" ] && package=./${dir#"$module"/}
  grep -oE '^func Fuzz[A-Za-z0-9_]+' "$file" | sed 's/func //' | while read -r target; do
    echo "== $dir $target for $time"
    (cd "$module" && go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package" </dev/null)
  done
done
