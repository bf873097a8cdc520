#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Creations, renames, replacements and deletions by the hundred thousand while their
# inodes are tracked and flushed: what is left is what should be, and the table empties.
# WB_CHURN=N for each way (200000; the first way on XFS does 1,000,000).
# timeout: 400
set -eu
. "$(dirname "$0")/../lib.sh"

tracks_nothing() # MOUNTPOINT
{
	[ "$(wb_status "$1" .inodes)" -eq 0 ]
}

steps=${WB_CHURN:-1000000}
[ "${WB_VARIANT:-}" != san ] || steps=200000
for type in xfs ext4 btrfs; do
	wb_has_fs $type || continue
	mnt=$(wb_mkfs $type 2G)
	while read -r source io; do
		wb_note "$type $source $io: $steps steps"
		wb_start_way "$source" "$io" "$mnt" flush.after=4K flush.age=10ms \
			flush.cool=0s
		fds=$(wb_fds)
		"$WB_TOOLS/dirty" churn -n "$steps" "$mnt"
		wb_ctl sync "$mnt" >/dev/null || wb_fail "wbctl sync"
		if dirty=$(wb_dirty_bytes "$mnt"); then
			[ "$dirty" -eq 0 ] || wb_fail "$dirty bytes are dirty after sync"
		fi
		# Deleted inodes are forgotten, and none is held open.
		wb_wait_for 30 tracks_nothing "$mnt"
		wb_wait_for 10 wb_fds_are "$fds"
		wb_stop
		wb_remount_cold "$mnt"
		"$WB_TOOLS/dirty" churn-verify -n "$steps" "$mnt" || wb_fail "$type: wrong"
		rm -r "${mnt:?}"/d*
		steps=${WB_CHURN:-200000}
		[ "${WB_VARIANT:-}" != san ] || steps=50000
	done < <(wb_ways $type)
done
