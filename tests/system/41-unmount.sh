#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Unmounting while files are being flushed works after a bounded number of tries; the
# daemon lives, lets the file system go, and takes it up again when it comes back.
# timeout: 240
set -eu
. "$(dirname "$0")/../lib.sh"

for type in xfs ext4 btrfs; do
	wb_has_fs $type || continue
	mnt=$(wb_mkfs $type 2G)
	dev=$(wb_dev "$mnt")
	while read -r source io; do
		wb_note "$type $source $io"
		wb_start_way "$source" "$io" "$mnt" flush.after=64K flush.age=10ms \
			flush.cool=0s
		for round in 1 2 3; do
			wb_wait_for 10 wb_managed "$mnt"
			"$WB_TOOLS/dirty" write -m rand -d 8 -f 4 -s 4m -S $round "$mnt"
			# A drain under way must not hold it either.
			wb_ctl sync "$mnt" >"$WB_TMP/sync.log" 2>&1 &
			sync=$!
			wb_wait_for 30 umount "$mnt" || wb_fail "umount stays busy"
			# It may have been too late for this file system, and say so.
			wait $sync || true
			wb_wait_for 10 wb_not_managed "$mnt"
			wb_alive "$WB_PID" || wb_fail "the daemon died"
			mount "$dev" "$mnt"
			"$WB_TOOLS/dirty" verify -d 8 -f 4 -s 4m -S $round "$mnt"
		done
		wb_stop
		rm -r "${mnt:?}"/d*
	done < <(wb_ways $type)
	wb_umount "$mnt"
done

# Lazily, with a file still open: it is out of sight at once, and let go of.
mnt=$(wb_mkfs xfs 1G)
wb_start_way fanotify threads "$mnt" flush.age=10ms
exec 7>"$mnt/open"
"$WB_TOOLS/dirty" write "$mnt"
umount -l "$mnt"
wb_wait_for 10 wb_not_managed "$mnt"
echo late >&7
exec 7>&-
wb_stop
