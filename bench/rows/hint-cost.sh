#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a hint costs its caller, with a daemon and without one.
set -eu
. "$(dirname "$0")/../lib.sh"

bench_ram_disk 2G
bench_fs xfs
export WB_SOCKET=$WB_RUN/io.writeback

# Prints mean and median.
both() # MODE
{
	"$BUILD/libwb_cost" "$1" "$MNT" | jq -r '"\(.mean) \(.median)"'
}

A=() B=() middle=() burst=() burstm=() empty=() emptym=()
for ((r = 1; r <= RUNS; r++)); do
	A+=("$("$BUILD/libwb_cost" none "$MNT" | jq -r .mean)")
	daemon_start </dev/null
	read -r mean median <<<"$(both data)"
	B+=("$mean") middle+=("$median")
	read -r mean median <<<"$(both burst)"
	burst+=("$mean") burstm+=("$median")
	read -r mean median <<<"$(both empty)"
	empty+=("$mean") emptym+=("$median")
	daemon_stop
	wb_note "without ${A[-1]} ns; with ${B[-1]}, in bursts ${burst[-1]}, on new files ${empty[-1]} ns"
done
a=$(median "${A[@]}") b=$(median "${B[@]}")
value=$(calc %.2f 'b / 1000' "b=$b")
result hint-cost "$value" "us" "<= 10; <= 0.05 without a daemon" \
	"$(is_met 'b <= 10000 && a <= 50' "a=$a" "b=$b")" \
	"wb_hint_write_size on an XFS file with data, mean of 5000 calls: $(spread_by 1000 %.2f "${B[@]}") us, the
median call $(spread_by 1000 %.2f "${middle[@]}"); with every fourth the daemon catches up (wb_query, not counted). In one burst, so that the
daemon's own work is in it, mean $(spread_by 1000 %.2f "${burst[@]}") and median $(spread_by 1000 %.2f "${burstm[@]}") us; on new empty files, with XFS's extent size set,
mean $(spread_by 1000 %.2f "${empty[@]}") and median $(spread_by 1000 %.2f "${emptym[@]}") us. Without a daemon $(spread %.1f "${A[@]}") ns, mean of 20 million."
