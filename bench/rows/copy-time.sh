#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A file of 2 GiB copied and made durable: wb-cp against cp and sync -d.  No daemon.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../copy.sh"

bench_ram_disk 4G
bench_fs xfs
copy_source
cat "$SRC" >/dev/null

once() # cp|wb: seconds
{
	bench_fresh
	stopwatch "copy_$1" "$MNT/copy"
}

# Most bytes of the copy dirty at a time.  Counting takes time: a run of its own.
peak() # cp|wb
{
	local n
	bench_fresh
	"copy_$1" "$MNT/copy" &
	n=$(copy_peak $!)
	wait $! || wb_fail "$1 did not copy"
	echo "$n"
}

# Before anything counts: the RAM disk gets its memory.
once cp >/dev/null

A=() B=() plain=()
for ((r = 1; r <= RUNS; r++)); do
	sides=(cp wb)
	((r % 2)) || sides=(wb cp)
	for side in "${sides[@]}"; do
		t=$(once "$side")
		if [ "$side" = cp ]; then A+=("$t"); else B+=("$t"); fi
		wb_note "$side: $t s"
	done
done
cmp "$SRC" "$MNT/copy" || wb_fail "the copy differs"
bench_fresh
plain+=("$(stopwatch "$BUILD/wb-cp" -q --no-uring "$SRC" "$MNT/copy")")
counted="by cachestat every 20 ms"
peak_wb=0 peak_cp=0
if wb_dirty_bytes "$MNT" >/dev/null; then
	peak_wb=$(peak wb)
	peak_cp=$(peak cp)
	[ "$peak_cp" -gt 0 ] || wb_fail "no dirty bytes were seen"
else
	counted="not counted: this kernel has no cachestat (Linux 6.5)"
fi
value=$(calc %.3f 'b / a' "a=$(median "${A[@]}")" "b=$(median "${B[@]}")")
mib() { calc %.0f 'b / 1048576' "b=$1"; }
result copy-time "$value" "times the time of cp" "<= 1.0; peak <= 64 MiB" \
	"$(is_met 'v <= 1.005 && p <= 67108864' "v=$value" "p=$peak_wb")" \
	"A file of $COPY_MIB MiB from tmpfs to XFS on a RAM disk, on the device at the end: cp and
sync -d $(spread %.2f "${A[@]}") s, wb-cp $(spread %.2f "${B[@]}") s, wb-cp --no-uring (once)
${plain[0]} s. Most bytes of the copy dirty or under write-back at a time: $(mib "$peak_wb") MiB with
wb-cp, $(mib "$peak_cp") MiB with cp ($counted)."
