#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The device under a file system dies while files are flushed: the daemon lives, says
# that writing failed, `wbctl sync` fails as `sync -f` does, and umount works.
# timeout: 400
set -eu
. "$(dirname "$0")/../lib.sh"

# All of the disk is gone: reading beyond the file's end and writing to a full tmpfs fail.
die()
{
	truncate -s 0 "$WB_TMP/bad/disk"
	wb_bad_on
}

for type in xfs ext4 btrfs; do
	wb_has_fs $type || continue
	while read -r source io; do
		wb_note "$type $source $io"
		mnt=$(wb_mkfs_bad $type 512)
		wb_start_way "$source" "$io" "$mnt" flush.after=64K flush.age=10ms \
			flush.cool=0s
		"$WB_TOOLS/dirty" write -m rand -f 4 -s 4m "$mnt"
		die
		"$WB_TOOLS/dirty" write -m rand -f 4 -s 4m -S 2 "$mnt" 2>/dev/null || true
		status=0
		timeout 60 "$WBCTL" --socket "$WB_RUN/io.writeback" sync "$mnt" \
			>"$WB_TMP/sync.log" 2>&1 || status=$?
		[ $status -ne 0 ] || wb_fail "wbctl sync succeeds on a dead device"
		[ $status -ne 124 ] || wb_fail "wbctl sync hangs on a dead device"
		wb_answers || wb_fail "the daemon does not answer any more"
		wb_wait_for 30 umount "$mnt" || wb_fail "umount stays busy"
		wb_wait_for 10 wb_not_managed "$mnt"
		wb_stop
		wb_bad_done "$mnt"
	done < <(wb_ways $type)
done
