#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whatever way files are written and the engine works: after `wbctl sync` nothing is
# dirty, and after a cold remount every byte is what was written.
# timeout: 300
set -eu
. "$(dirname "$0")/../lib.sh"

for type in xfs ext4 btrfs; do
	wb_has_fs $type || {
		wb_note "no $type here"
		continue
	}
	mnt=$(wb_mkfs $type 2G)
	while read -r source io; do
		wb_note "$type $source $io"
		wb_start_way "$source" "$io" "$mnt" flush.after=1M flush.age=100ms \
			flush.cool=0s
		for mode in seq rand append mmap falloc; do
			mkdir "$mnt/$mode"
			"$WB_TOOLS/dirty" write -m $mode -s 2m -p 2 "$mnt/$mode" &
		done
		for _ in seq rand append mmap falloc; do
			wait -n || wb_fail "a writer failed"
		done
		# Some of it has gone out by itself, all of it goes with sync.
		wb_wait_for 20 wb_flushed "$mnt" 1048576
		wb_ctl sync "$mnt" >/dev/null || wb_fail "wbctl sync"
		if dirty=$(wb_dirty_bytes "$mnt"); then
			[ "$dirty" -eq 0 ] || wb_fail "$dirty bytes are dirty after sync"
		fi
		wb_stop
		wb_remount_cold "$mnt"
		for mode in seq rand append mmap falloc; do
			"$WB_TOOLS/dirty" verify -m $mode -s 2m -p 2 "$mnt/$mode" ||
				wb_fail "$type $source $io: $mode"
			rm -r "${mnt:?}/$mode"
		done
	done < <(wb_ways $type)
done
