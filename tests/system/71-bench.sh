#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Benchmarks write JSON with everything that was promised, and a page.
# timeout: 240
set -eu
. "$(dirname "$0")/../lib.sh"

out=$WB_TMP/out
env -u WB_NS -u WB_TMP -u WB_RUN BENCH_OUT="$out" BENCH_MIB=4 BENCH_SECONDS=1 RUNS=1 \
	ROWS="idle drain-sequential" "$WB_TOP/bench/run.sh" >"$WB_TMP/bench.log" 2>&1 ||
	{ tail -n 30 "$out"/*.log; wb_fail "bench/run.sh ended with $?"; }
# In the order of the table, not of the wish.
wb_json '[.[].name] == ["drain-sequential", "idle"]' <"$out/results.json"
wb_json 'all(.[]; (.value | type) == "number" and (.met | type) == "boolean" and
	has("unit") and has("target") and (.command | startswith("make bench ROWS=")) and
	(.runs.with | length) == 1)' <"$out/results.json"
wb_json '.[0].runs.without | length == 1' <"$out/results.json"
grep -q '^drain-sequential .* times faster' "$out/results.txt"
[ "$(grep -c '^| \(idle\|drain-sequential\) ' "$out/results.md")" -eq 2 ]
