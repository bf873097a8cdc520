#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Benchmarks write JSON with everything that was promised, and a page.  The probe of
# latency counts from when a write was due.
# timeout: 240
set -eu
. "$(dirname "$0")/../../bench/lib.sh"

out=$WB_TMP/out

looked_at() # FILE
{
	wb_ctl -J explain "$1" | jq -e .tracked
}
env -u WB_NS -u WB_TMP -u WB_RUN BENCH_OUT="$out" BENCH_MIB=4 BENCH_SECONDS=1 RUNS=1 \
	ROWS="idle drain-sequential" "$WB_TOP/bench/run.sh" >"$WB_TMP/bench.log" 2>&1 ||
	{ tail -n 30 "$out"/*.log; wb_fail "bench/run.sh ended with $?"; }
# In the order of the table, not of the wish.
wb_json '[.rows[].name] == ["drain-sequential", "idle"]' <"$out/results.json"
wb_json '.schema == 1 and all(.rows[]; (.value | type) == "number" and (.met | type) == "boolean" and
	has("unit") and has("target") and (.command | test("^make bench RUNS=1 ROWS=")) and
	(.runs.with | length) == 1)' <"$out/results.json"
wb_json '.rows[0].runs.without | length == 1' <"$out/results.json"
grep -q '^drain-sequential .* times faster' "$out/results.txt"
[ "$(grep -c '^| \(idle\|drain-sequential\) ' "$out/results.md")" -eq 2 ]

wb_note "with hints: results of their own"
mkdir "$WB_TMP/build"
ln -s "$BUILD"/* "$WB_TMP/build"
rm -f "$WB_TMP/build/bench" "$WB_TMP/build/bench-hints"
env -u WB_NS -u WB_TMP -u WB_RUN -u BENCH_OUT BUILD="$WB_TMP/build" HINTS=1 BENCH_MIB=4 RUNS=1 \
	ROWS=drain-sequential "$WB_TOP/bench/run.sh" >"$WB_TMP/bench.log" 2>&1 ||
	{ tail -n 30 "$WB_TMP"/build/bench-hints/*.log; wb_fail "bench/run.sh ends with $?"; }
[ ! -e "$WB_TMP/build/bench" ] || wb_fail "results with hints are among those without"
wb_json '.rows[0].command == "make bench HINTS=1 RUNS=1 ROWS=drain-sequential"' \
	<"$WB_TMP/build/bench-hints/results.json"

wb_note "with hints: each file of a row has a rule"
MNT=$(wb_mkfs xfs 1G)
for HINTS in '' 1; do
	daemon_start </dev/null
	head -c 8M /dev/zero >"$MNT/file${HINTS:-0}"
	wb_wait_for 20 looked_at "$MNT/file${HINTS:-0}"
	from=$(wb_ctl -J explain "$MNT/file${HINTS:-0}" | jq -r '.hint.from // "nobody"')
	[ "$from" = "${HINTS:+rule}" ] || [ "$from$HINTS" = nobody ] || wb_fail "HINTS=$HINTS: $from"
	daemon_stop
done
unset HINTS

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
