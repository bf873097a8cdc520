#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Benchmarks write JSON with everything that was promised, and a page.  The probe of
# latency counts from when a write was due.
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

wb_note "a stall counts for every write that was due in it"
mnt=$(wb_mkfs ext4 64M)
# shellcheck disable=SC2016
"$BUILD/fsync_probe" 10 "$mnt/log" bash -euc 'fsfreeze -f "$1"; sleep 1; fsfreeze -u "$1"' - \
	"$mnt" >"$WB_TMP/probe"
wb_json '.samples >= 99 and .worst_us >= 900000 and .p50_us <= .p99_us and .p99_us <= .worst_us' \
	<"$WB_TMP/probe"
[ "$(stat -c %s "$mnt/log")" -eq $((4096 * ($(jq .samples "$WB_TMP/probe") + 1))) ] ||
	wb_fail "it did not write what it counts"
if "$BUILD/fsync_probe" 10 "$mnt/log" false 2>"$WB_TMP/said"; then
	wb_fail "a command that fails is not told"
fi
wb_says "$WB_TMP/said" 'false failed'
