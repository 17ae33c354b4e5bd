#!/bin/sh
# Mixed traffic for SOAK_TIME (30m), looking for what grows.
set -eu
cd "$(dirname "$0")/../e2e"
STRATA_SOAK_TIME="${SOAK_TIME:-30m}" go test -count=1 -timeout 0 -v -run '^TestSoak$' .
