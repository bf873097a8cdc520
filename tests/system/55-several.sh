#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Several file systems at once, and one that comes back: each is watched by the source
# that was asked for, and is written back by itself.
set -eu
. "$(dirname "$0")/../lib.sh"

source_is() # MOUNTPOINT SOURCE
{
	[ "$(wb_status "$1" .source_of_events)" = "$2" ]
}

wb_flushed_soon() # MOUNTPOINT BYTES
{
	wb_wait_for 20 wb_flushed "$1" "$2" || {
		wb_status "$1" 'del(.contexts)'
		wb_fail "$1: $(wb_dirty_bytes "$1") bytes are dirty"
	}
}

a=$(wb_mkfs xfs 1G)
b=$(wb_mkfs ext4 1G)
while read -r source io; do
	wb_note "$source $io"
	wb_start_way "$source" "$io" "$a" flush.after=64K flush.age=20ms flush.cool=0s
	for mnt in "$a" "$b"; do
		wb_wait_for 10 source_is "$mnt" "$source"
		"$WB_TOOLS/dirty" write -S 5 "$mnt"
	done
	wb_flushed_soon "$a" 16777216
	wb_flushed_soon "$b" 16777216
	for mnt in "$a" "$b"; do
		dev=$(wb_dev "$mnt")
		wb_wait_for 10 umount "$mnt"
		wb_wait_for 10 wb_not_managed "$mnt"
		mount "$dev" "$mnt"
		wb_wait_for 10 source_is "$mnt" "$source"
		"$WB_TOOLS/dirty" write -S 6 "$mnt"
		wb_flushed_soon "$mnt" 16777216
		"$WB_TOOLS/dirty" verify -S 6 "$mnt"
	done
	wb_stop
	# What was dirty before a daemon came is the kernel's: start anew.
	rm -r "${a:?}"/d* "${b:?}"/d*
done < <(wb_ways xfs)
