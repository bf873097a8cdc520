#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# SIGTERM in the middle of heavy flushing, drains and monitors: it ends well and soon,
# everything can be unmounted, and nothing is lost.
# timeout: 240
set -eu
. "$(dirname "$0")/../lib.sh"

for type in xfs ext4 btrfs; do
	wb_has_fs $type || continue
	mnt=$(wb_mkfs $type 2G)
	dev=$(wb_dev "$mnt")
	while read -r source io; do
		for signal in TERM INT; do
			wb_note "$type $source $io SIG$signal"
			wb_start_way "$source" "$io" "$mnt" flush.after=64K flush.age=10ms \
				flush.cool=0s
			"$WB_TOOLS/dirty" write -m rand -d 8 -f 4 -s 4m "$mnt"
			wb_ctl monitor >/dev/null 2>&1 &
			monitor=$!
			wb_ctl sync "$mnt" >/dev/null 2>&1 &
			sync=$!
			kill -$signal "$WB_PID"
			wb_wait_for 60 wb_dead "$WB_PID"
			status=0
			wait "$WB_PID" || status=$?
			[ $status -eq 0 ] || wb_fail "wbd ended with status $status"
			wb_wait_for 20 wb_dead $monitor
			# The drain was cut short, the data is wbctl's syncfs' to write.
			wb_wait_for 60 wb_dead $sync
			umount "$mnt" || wb_fail "busy after the daemon's end"
			mount "$dev" "$mnt"
			"$WB_TOOLS/dirty" verify -m rand -d 8 -f 4 -s 4m "$mnt" ||
				wb_fail "$type: data lost"
			rm -r "${mnt:?}"/d*
		done
	done < <(wb_ways $type)
	wb_umount "$mnt"
done
