#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# wbctl sync --timeout returns though syncfs() hangs in the kernel, and says so.
set -eu
. "$(dirname "$0")/../lib.sh"

# A loop device whose file lies on a frozen file system answers no write.
lower=$(wb_mkfs ext4 512M)
truncate -s 256M "$lower/image"
loop=$(losetup -f --show "$lower/image")
wb_defer losetup -d "$loop"
mnt=$(wb_mkfs_on "$loop" ext4)
thaw()
{
	fsfreeze -u "$lower"
}
# Also if the test fails in between; it is an error where nothing is frozen.
wb_defer sh -c "fsfreeze -u '$lower' 2>/dev/null || true"
sync -f "$lower"

for daemon in without with; do
	[ $daemon = without ] || wb_start
	head -c 4M /dev/urandom >"$mnt/file"
	fsfreeze -f "$lower"
	status=0
	wb_ctl sync --timeout 1 "$mnt" 2>"$WB_TMP/err" || status=$?
	thaw
	[ $status -eq 5 ] || wb_fail "$daemon: status $status: $(cat "$WB_TMP/err")"
	grep -q 'time is over' "$WB_TMP/err" || wb_fail "$daemon: $(cat "$WB_TMP/err")"
	wb_ctl sync "$mnt" 2>/dev/null || wb_fail "$daemon: status $? afterwards"
	wb_is_clean "$mnt" || wb_fail "$daemon: dirty afterwards"
done
wb_stop
