#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# More dirty inodes than max_inodes: the limit holds, status tells how many were refused,
# and `wbctl sync` still leaves nothing dirty.
set -eu
. "$(dirname "$0")/../lib.sh"

for type in xfs ext4 btrfs; do
	wb_has_fs $type || continue
	mnt=$(wb_mkfs $type 1G)
	while read -r source io; do
		wb_note "$type $source $io"
		wb_start_way "$source" "$io" "$mnt" engine.max_inodes=1024 flush.after=off \
			flush.age=1h
		"$WB_TOOLS/dirty" write -d 10 -f 500 -s 4k "$mnt"
		refused()
		{
			[ "$(wb_engine .refused)" -gt 0 ]
		}
		wb_wait_for 20 refused
		n=$(wb_engine .inodes)
		[ "$n" -le 1024 ] || wb_fail "$n inodes are tracked"
		wb_ctl sync "$mnt" >/dev/null || wb_fail "wbctl sync"
		if dirty=$(wb_dirty_bytes "$mnt"); then
			[ "$dirty" -eq 0 ] || wb_fail "$dirty bytes are dirty after sync"
		fi
		wb_stop
		wb_remount_cold "$mnt"
		"$WB_TOOLS/dirty" verify -d 10 -f 500 -s 4k "$mnt" || wb_fail "data lost"
		rm -r "${mnt:?}"/d*
	done < <(wb_ways $type)
done
