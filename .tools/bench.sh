#!/bin/sh
# Benchmarks, each beside what it is to be compared with in the same run. The
# figures of a busy machine are upper bounds; the ratios are what counts.
set -eu
cd "$(dirname "$0")/.."
echo "load: $(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null || echo unknown), $(nproc 2>/dev/null || echo ?) cores"
bench() { (cd "$1" && go test -run '^$' -bench . -benchmem -count "${BENCH_COUNT:-3}" "$2"); }
echo "== the gate, native";                              bench plugins ./gate
echo "== a page of ten results, native";                 bench plugins ./search
echo "== the gate, and the page of ten results, under wazero"; bench wasm ./engine
echo "== the gate through the shim, beside web-tree-sitter and plain JS"
(cd shim && node bench/gate.mjs)
echo "== the size of a chat through the shim, at 20,000 events"
(cd shim && node bench/context.mjs)
echo "== the page of ten results through the shim"
(cd shim && node bench/search.mjs)
echo "== a delta through the key proxy";                 bench host ./internal/connections
echo "== a delta from the wire to the frame, beside raw pass-through"
bench host ./internal/gateway/eventsmux;                 bench host ./internal/bridge
echo "== the newer wire: a delta's age, also beside a reader that stops; 1,000 sessions beside raw read and decode"
bench host ./internal/gateway/remotemux
echo "== start of the host, and of the Harness below it"; bench e2e .
