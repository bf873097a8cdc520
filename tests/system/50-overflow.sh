#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# More events than the kernel keeps, while the daemon stands still: it says that unknown
# inodes may be dirty, and `wbctl sync` still leaves nothing dirty.
# timeout: 400
set -eu
. "$(dirname "$0")/../lib.sh"

overflowed()
{
	[ "$(wb_engine .overflows)" -gt 0 ]
}

for type in xfs ext4 btrfs; do
	wb_has_fs $type || continue
	mnt=$(wb_mkfs $type 4G)
	while read -r source io; do
		[ "$io" = threads ] || [ "$type" = btrfs ] || [ "$source" = trace ] || continue
		wb_note "$type $source $io"
		wb_start_way "$source" "$io" "$mnt" flush.age=1s
		kill -STOP "$WB_PID"
		# More than any of the queues has room for: 16384 events, or some 3600 per CPU.
		"$WB_TOOLS/dirty" write -d 40 -f 1000 -s 4k "$mnt"
		kill -CONT "$WB_PID"
		wb_wait_for 60 wb_answers
		wb_wait_for 60 overflowed || {
			wb_call io.writeback.Status
			wb_fail "events were lost and nothing was said"
		}
		wb_ctl status >"$WB_TMP/status.log"
		wb_says "$WB_TMP/status.log" 'overflow|lost|unknown'
		wb_ctl sync "$mnt" >/dev/null || wb_fail "wbctl sync"
		if dirty=$(wb_dirty_bytes "$mnt"); then
			[ "$dirty" -eq 0 ] || wb_fail "$dirty bytes are dirty after sync"
		fi
		# It goes on as before.
		"$WB_TOOLS/dirty" write -d 1 -f 4 -s 1m -S 3 "$mnt"
		before=$(wb_status "$mnt" .flushed_bytes)
		wb_wait_for 30 wb_flushed "$mnt" $((before + 1048576))
		wb_stop
		rm -r "${mnt:?}"/d*
	done < <(wb_ways $type)
	wb_umount "$mnt"
done
