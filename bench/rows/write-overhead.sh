#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the daemon adds to one buffered 4 KiB pwrite on a file system it manages.
set -eu
. "$(dirname "$0")/../lib.sh"

mib=${BENCH_MIB}
pairs=$((RUNS * 12)) # single runs spread by 10 % on a shared machine, without a daemon too

# Fills A and B (nanoseconds) for the file system TYPE.
overhead() # TYPE
{
	local r side sides
	A=() B=()
	bench_ram_disk 16G
	bench_fs "$1"
	load seq --files 1 --size "${mib}M"
	sync -f "$MNT"
	for ((r = 1; r <= pairs; r++)); do
		sides=(without with)
		((r % 2)) || sides=(with without)
		for side in "${sides[@]}"; do
			overhead_once "$side" $r
		done
	done
}

overhead_once() # without|with SEED
{
	[ "$1" = without ] || daemon_start </dev/null
	load latency --files 1 --size "${mib}M" --seed "$2"
	[ "$1" = without ] || daemon_stop
	sync -f "$MNT"
	if [ "$1" = without ]; then
		A+=("$(loaded .ns_median)")
	else
		B+=("$(loaded .ns_median)")
	fi
}

slower()
{
	calc %.1f 'v' "v=$(pairs_percent_more)"
}

overhead ext4
ext4=$(slower)
note_ext4="ext4: $(spread %.0f "${A[@]}") ns without, $(spread %.0f "${B[@]}") ns with, $ext4 %."
ext4_a=("${A[@]}") ext4_b=("${B[@]}")
overhead xfs
value=$(slower)
note="XFS: $(spread %.0f "${A[@]}") ns without, $(spread %.0f "${B[@]}") ns with, $value %."
# The worse of the two is the row's value.
if [ "$(is_met 'e > x' "e=$ext4" "x=$value")" = true ]; then
	value=$ext4 A=("${ext4_a[@]}") B=("${ext4_b[@]}")
fi
result write-overhead "$value" "% slower" "<= 3" "$(is_met 'v <= 3' "v=$value")" \
	"$note $note_ext4 Each number is the median of 15 batches of 20,000 writes at random
offsets of one cached file of $mib MiB; settings as shipped; the percentage
is the median of those of $pairs pairs."
