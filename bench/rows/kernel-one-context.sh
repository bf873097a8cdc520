#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the kernel series costs whoever does not use it: one context against the unpatched kernel.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

without=6.12-x86-unpatched with=6.12-x86-bench
rounds=3 writes=16384 files=500
guest_kernels $without $with
guest_clear kernel-one-context
# The limit is in the host's time and, for the guest, in instructions: generous.
GUEST_OPTIONS=(-i -m 2G -t 600)

for ((r = 1; r <= RUNS; r++)); do
	kernels=("$without" "$with")
	((r % 2)) || kernels=("$with" "$without")
	for k in "${kernels[@]}"; do
		guest_run kernel-one-context "$k" "$r" one-context.sh $rounds $writes $files xfs ext4
	done
done

# The median of FIELD in each guest of KERNEL on FS.
guests() # KERNEL FS FIELD
{
	local v r
	for ((r = 1; r <= RUNS; r++)); do
		mapfile -t v < <(guest_numbers kernel-one-context \
			"select(.set == \"$r\" and .kernel == \"$1\" and .fs == \"$2\") | .$3")
		median "${v[@]}"
	done
}

# Sets A, B and MORE.
compare() # FS FIELD
{
	mapfile -t A < <(guests $without "$1" "$2")
	mapfile -t B < <(guests $with "$1" "$2")
	MORE=$(calc %.2f '100 * (b / a - 1)' "a=$(median "${A[@]}")" "b=$(median "${B[@]}")")
}

declare -A what=([both]="a write and its share of the sync" [write]="the write alone"
	[sync]="the sync alone" [file]="a new file of 4 KiB and its share of a sync")
note='' value=-100
for fs in xfs ext4; do
	note+=" $fs:"
	for field in both write sync file; do
		compare $fs $field
		note+=" ${what[$field]} $(spread %.0f "${A[@]}") and $(spread %.0f "${B[@]}"), $MORE %;"
		if [ $field = both ] && [ "$(is_met 'm > v' "m=$MORE" "v=$value")" = true ]; then
			value=$MORE worst=$fs
		fi
	done
done
compare "$worst" both
result kernel-one-context "$value" "% more instructions" "<= 1" "$(is_met 'v <= 1' "v=$value")" \
	"$writes buffered writes of 4 KiB at random places of a cached file of 64 MiB and a sync, on null_blk without latency,
in guests of $without and $with, which differ by the series (and a switch in ext2); one CPU and one context. Instructions, kernel and program, as
the emulated machine's clock counts them: medians of $RUNS guests of each in turns, each the median of $rounds rounds, smallest
and largest guest.$note Of XFS and ext4 the worse one is the value (the write and the sync). How long an instruction takes,
caches for example, is not in it."
