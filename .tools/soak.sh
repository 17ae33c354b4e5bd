#!/bin/sh
# 200 chats that write 50 deltas a second each for LOAD_TIME (1m), beside raw
# pass-through; then mixed traffic for SOAK_TIME (30m), looking for what grows.
set -eu
cd "$(dirname "$0")/../host"
STRATA_LOAD_TIME="${LOAD_TIME:-1m}" go test -run '^$' -bench '^BenchmarkLoad$' -benchtime 1x -timeout 0 ./internal/bridge
cd ../e2e
STRATA_SOAK_TIME="${SOAK_TIME:-30m}" go test -count=1 -timeout 0 -v -run '^TestSoak$' .
