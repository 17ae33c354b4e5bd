#!/bin/sh
# CHAOS_ROUNDS (200) rounds of seeded kills and faults, half of them over each wire;
# CHAOS_SEED plays one again.
set -eu
cd "$(dirname "$0")/../e2e"
export STRATA_CHAOS_ROUNDS="$(((${CHAOS_ROUNDS:-200} + 1) / 2))"
[ -z "${CHAOS_SEED:-}" ] || export STRATA_CHAOS_SEED="$CHAOS_SEED"
go test -race -count=1 -timeout 0 -v -run '^TestChaos$' .
