#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Memory cgroups with several contexts keep to their limits, and nobody is killed.
#
# guest: fs=xfs full-fs=ext4 limit=300

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
fs=${1:-xfs} cgroups=8 limit=$((16 << 20)) files=96 size=$((256 << 10))
cg=/sys/fs/cgroup

make_mount "$fs"
echo 4 >"$bdi/writeback_contexts"
for ((c = 0; c < cgroups; c++)); do
	mkdir "$cg/c$c" "$mnt/c$c"
	echo $limit >"$cg/c$c/memory.max"
done

# Each writes more than it may have in memory, while contexts come and go.
start_changing
for ((c = 0; c < cgroups; c++)); do
	"$tools/fill" "$cg/c$c" "$mnt/c$c" $files $size "$c" >"/tmp/manifest$c" &
	workers+=($!)
done
for worker in "${workers[@]}"; do
	wait "$worker" || fail "a writer failed"
done
stop_changing
for ((c = 0; c < cgroups; c++)); do
	peak=$(cat "$cg/c$c/memory.peak")
	((peak <= limit)) || fail "cgroup $c used $peak of $limit"
	((peak > limit / 2)) || fail "cgroup $c used $peak only, its limit was not tested"
	expect "kills in cgroup $c" "$(awk '$1 == "oom_kill" { print $2 }' "$cg/c$c/memory.events")" 0
done

remount
for ((c = 0; c < cgroups; c++)); do
	"$tools/verify" "$mnt/c$c" <"/tmp/manifest$c"
	rmdir "$cg/c$c"
done
umount "$mnt"
check_fs "$fs"
echo "$fs: $cgroups cgroups at their limits, $changes changes of the number of contexts meanwhile"
