#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# dm-linear over a loop device is tied to its own bdi and to what it lies upon.
set -eu
. "$(dirname "$0")/../lib.sh"

command -v dmsetup >/dev/null || wb_skip "no dmsetup"
dmsetup targets 2>/dev/null | grep -q linear || wb_skip "this kernel has no device-mapper"

loop=$(wb_loop 1G)
name=wb-test-$$
dmsetup create "$name" --table "0 $(blockdev --getsz "$loop") linear $loop 0"
wb_defer dmsetup remove --retry "$name"
dmsetup mknodes "$name"
mnt=$(wb_mkfs_on "/dev/mapper/$name" ext4)
entry=$("$WB_TOOLS/fsys" scan | jq -c --arg t "$mnt" 'select(.target == $t)')
dm=$(basename "$(readlink -f "/sys/dev/block/$(mountpoint -d "$mnt")")")
# shellcheck disable=SC2016 # jq's variables
wb_json --arg dm "$dm" --arg bdi "$(mountpoint -d "$mnt")" \
	'.disk == $dm and .bdi == $bdi and .rotational == 0 and .snapshot == false and
	 .kind == "ext4" and .geom_error == null' <<<"$entry" >/dev/null ||
	wb_fail "$entry"
