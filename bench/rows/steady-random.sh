#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 8 writers, 4 KiB at random, as fast as they may, with 256 MiB of dirty memory allowed.
set -eu
. "$(dirname "$0")/../lib.sh"

seconds=${BENCH_SECONDS:-20}
bench_ram_disk 3G
bench_fs xfs
set=(--files 8 --size "${BENCH_MIB}M")
load seq "${set[@]}"
bench_sysctl vm.dirty_background_bytes $((128 << 20))
bench_sysctl vm.dirty_bytes $((256 << 20))

steady() # without|with: sets RATE (bytes/s) and PAUSE (ms)
{
	sync -f "$MNT"
	[ "$1" = without ] || daemon_start </dev/null
	load overwrite "${set[@]}" --threads 8 --seconds "$seconds" --seed "$2"
	RATE=$(loaded '.bytes / .seconds')
	PAUSE=$(loaded .max_ms)
	[ "$1" = without ] || daemon_stop
	wb_note "$1: $(calc %.0f 'r / 1e6' "r=$RATE") MB/s, longest write $PAUSE ms"
}

A=() B=() pause_a=() pause_b=() limit=()
for ((r = 1; r <= RUNS; r++)); do
	sides=(without with)
	((r % 2)) || sides=(with without)
	for side in "${sides[@]}"; do
		steady "$side" $r
		if [ "$side" = without ]; then
			A+=("$RATE") pause_a+=("$PAUSE")
		else
			B+=("$RATE") pause_b+=("$PAUSE")
		fi
	done
	load verify "${set[@]}" --any-gen || wb_fail "files differ"
	load direct "${set[@]}" --block 1M
	limit+=("$(loaded '.bytes / .seconds')")
	load seq "${set[@]}" # blocks that verify knows
done
value=$(calc %.3f 'b / a' "a=$(median "${A[@]}")" "b=$(median "${B[@]}")")
share_of() { calc %.4g "100 * v / l" "v=$1" "l=$(median "${limit[@]}")"; }
extra share "{\"without\": $(share_of "$(median "${A[@]}")"), \"with\": $(share_of "$(median "${B[@]}")")}"
share() { calc '%.0f %%' '100 * v / l' "v=$1" "l=$(median "${limit[@]}")"; }
result steady-random "$value" "times the throughput" ">= 1.0" "$(is_met 'v >= 0.995' "v=$value")" \
	"Without $(spread_by 1e6 %.0f "${A[@]}") MB/s, with $(spread_by 1e6 %.0f "${B[@]}") MB/s: $(share "$(median "${A[@]}")") and
$(share "$(median "${B[@]}")") of the device's own $(spread_by 1e6 %.0f "${limit[@]}") MB/s (O_DIRECT, sequential);
longest single write $(spread %.0f "${pause_a[@]}") and $(spread %.0f "${pause_b[@]}") ms.
Settings as shipped; vm.dirty_background_bytes is 128 MiB. The writers keep both CPUs busy."
