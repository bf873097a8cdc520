#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Without CONFIG_WRITEBACK_CONTEXTS there is nothing of the series to be seen, and data is safe.
#
# guest: only=*-off fs=xfs,ext4 seconds=10

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
fs=$1

mkfs."$fs" -q "$WB_DISK"
mkdir /tmp/mnt
mount -t "$fs" "$WB_DISK" /tmp/mnt
bdi=/sys/class/bdi/$(mountpoint -d /tmp/mnt)
[ -e "$bdi/read_ahead_kb" ] || fail "$bdi is not what it should be"
for file in "$bdi/writeback_contexts" "$bdi/writeback_context" /sys/fs/writeback; do
	[ ! -e "$file" ] || fail "$file is there"
done
touch /tmp/mnt/file
said=$("$tools/wbctx" get /tmp/mnt/file) && fail "the ioctl works"
expect "ioctl" "${said#*error=}" ENOTTY

mkdir /tmp/mnt/work
"$tools/churn" /tmp/mnt/work "$WB_SECONDS" 1 >/tmp/manifest
umount /tmp/mnt
echo 3 >/proc/sys/vm/drop_caches
mount -t "$fs" "$WB_DISK" /tmp/mnt
"$tools/churn" verify /tmp/mnt/work /tmp/manifest
