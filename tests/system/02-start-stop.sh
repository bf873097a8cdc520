#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Starts, is alone, lets file systems come and go without keeping anything, and ends.
set -eu
. "$(dirname "$0")/../lib.sh"

wb_start "$(wb_set engine.contexts=4)"
first=$WB_PID
wb_ctl status >"$WB_TMP/status.log" || wb_fail "wbctl status fails"

# A second one refuses, and says who is there.
status=0
timeout 20 "$WBD" --config "$WB_TMP/wb.conf" --runtime-dir "$WB_RUN" \
	>"$WB_TMP/second.log" 2>&1 || status=$?
[[ $status -ne 0 && $status -ne 124 ]] || wb_fail "a second wbd ran (status $status)"
wb_says "$WB_TMP/second.log" "\\b$first\\b"
[ "$(wc -l <"$WB_TMP/second.log")" -eq 1 ] || wb_fail "more than one sentence"
wb_answers || wb_fail "the second wbd took the socket from the first"

# Mounted and unmounted again and again: as many descriptors as after the first time.
cycle()
{
	local type=$1 dev=$2 mnt=$WB_TMP/cycle
	mkdir -p "$mnt"
	mount "$dev" "$mnt"
	wb_wait_for 10 wb_managed "$mnt"
	"$WB_TOOLS/dirty" write -s 64k "$mnt"
	wb_ctl sync "$mnt" >/dev/null || wb_fail "sync of $type"
	wb_wait_for 10 umount "$mnt"
	wb_wait_for 10 wb_not_managed "$mnt"
}
for type in xfs ext4 btrfs; do
	wb_has_fs $type || continue
	mnt=$(wb_mkfs $type 1G)
	dev=$(wb_dev "$mnt")
	wb_umount "$mnt"
	cycle $type "$dev"
	fds=$(wb_fds)
	for _ in 1 2 3 4 5; do
		cycle $type "$dev"
	done
	wb_wait_for 10 wb_fds_are "$fds"
	# No mark is left on a file system that is gone.
	wb_stop
	wb_start "$(wb_set engine.contexts=4)"
done

# After SIGTERM the socket is gone, the lock is free, another may start.
wb_stop
[ ! -e "$WB_RUN/io.writeback" ] || wb_fail "the socket is left"
wb_start "$(wb_set engine.contexts=4)"
wb_stop
