#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Extents per file with 1 and with 4 of the kernel's contexts.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

kernel=7.3-smp-bench
guest_kernels $kernel
guest_clear kernel-extents
GUEST_OPTIONS=(-m 3G -t 900)
for fs in xfs ext4; do
	guest_run kernel-extents $kernel "$fs, drained" drain.sh $fs "$RUNS" "1 4" 0 0 \
		rand --files 16 --size 20M
	grow=(append --files 16 --size 20M --block 64K)
	guest_run kernel-extents $kernel "$fs, growing" drain.sh $fs "$RUNS" "1 4" 0 $((16 << 20)) \
		"${grow[@]}" --keep-open
	guest_run kernel-extents $kernel "$fs, reopened" drain.sh $fs "$RUNS" "1 4" 0 $((16 << 20)) \
		"${grow[@]}"
done

# Extents per file in SET with N contexts.
extents_of() # SET N
{
	guest_numbers kernel-extents \
		"select(.set == \"$1\" and .contexts == $2) | .extents / .files"
}

# Sets MORE, A and B.
compare() # SET
{
	mapfile -t A < <(extents_of "$1" 1)
	mapfile -t B < <(extents_of "$1" 4)
	MORE=$(calc %.1f '100 * (b / a - 1)' "a=$(median "${A[@]}")" "b=$(median "${B[@]}")")
}

# Of what is drained and of what grows the worst is the row's value.  Files that are closed between
# two writes are told beside it: ext4 drops the blocks it had set aside for one whenever it is clean
# and closed, so each piece that is written begins an extent, and flushers that are faster write
# smaller pieces.
note='' value=-1000
for set in "ext4, drained" "ext4, growing" "xfs, drained" "xfs, growing" "ext4, reopened" "xfs, reopened"; do
	compare "$set"
	note+=" $set: $(spread %.2f "${A[@]}") and $(spread %.2f "${B[@]}"), $MORE %;"
	if [[ "$set" != *reopened ]] && [ "$(is_met 'm > v' "m=$MORE" "v=$value")" = true ]; then
		value=$MORE worst=$set
	fi
done
compare "$worst"
result kernel-extents "$value" "% more extents" "<= 5" "$(is_met 'v <= 5' "v=$value")" \
	"Extents per file, 16 files of 20 MiB in 8 directories, one in each group, with 1 and with 4 contexts of $kernel.
Drained: written 4 KiB at random, then a sync; growing: appended to in turn, 64 KiB at a time, by two threads with vm.dirty_bytes of 16 MiB;
reopened: the same, but closed after each write (ext4 then drops what it has set aside, and each piece that is written begins an extent).$note
the worst of drained and growing is the value."
