#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The inodes that back swap are known: a swap file's, and the file under a loop.
set -eu
. "$(dirname "$0")/../lib.sh"

swap_on() # PATH
{
	swapon "$1" 2>/dev/null || return 1
	wb_defer swap_off "$1"
}

swap_off()
{
	swapoff "$1" 2>/dev/null || true # off already, unless it is still in the list:
	! grep -qF "${1##*/}" /proc/swaps
}

knows() # FILE
{
	"$WB_TOOLS/fsys" swap | grep -qx "$(mountpoint -d "$mnt") $(stat -c %i "$1")" ||
		wb_fail "$1 backs swap unnoticed"
}

mnt=$(wb_mkfs ext4 256M)
file=$mnt/wb-swap-$$
dd if=/dev/zero of="$file" bs=1M count=16 status=none
chmod 600 "$file"
mkswap -q "$file" >/dev/null
swap_on "$file" || wb_skip "this machine does not let us swap"
knows "$file"
swap_off "$file"

dd if=/dev/zero of="$mnt/image" bs=1M count=16 status=none
loop=$(wb_loop_on "$mnt/image")
mkswap -q "$loop" >/dev/null
swap_on "$loop" || wb_skip "this machine does not swap on loop devices"
knows "$mnt/image"
swap_off "$loop"
[ -z "$("$WB_TOOLS/fsys" swap)" ] || wb_note "this machine swaps to files itself"
