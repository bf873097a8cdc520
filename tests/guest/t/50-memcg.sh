#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Memory cgroups with several contexts keep to their limits and go away: 50-memcg.sh FS
#
# guest: fs=xfs,ext4 limit=600

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
fs=${1:-xfs} cgroups=4 limit=$((32 << 20)) megabytes=40
cg=/sys/fs/cgroup

make_mount "$fs"
echo 4 >"$bdi/writeback_contexts"
for ((c = 0; c < cgroups; c++)); do
	mkdir "$cg/c$c" "$mnt/c$c"
	echo $limit >"$cg/c$c/memory.max"
	for ((d = 0; d < 8; d++)); do
		mkdir "$mnt/c$c/d$d"
	done
done

# fill CGROUP DIRECTORY: write into all groups as a member of CGROUP
fill() {
	bash -c 'echo $$ >"$1/cgroup.procs"
		for ((m = 0; m < $3; m++)); do
			yes "$m of $2" | head -c 1M >"$2/d$((m % 8))/f$m" || exit
		done' - "$1" "$2" "$megabytes"
}
for ((c = 0; c < cgroups; c++)); do
	fill "$cg/c$c" "$mnt/c$c" &
	workers+=($!)
done
for worker in "${workers[@]}"; do
	wait "$worker" || fail "a writer failed"
done
for ((c = 0; c < cgroups; c++)); do
	peak=$(cat "$cg/c$c/memory.peak")
	((peak <= limit)) || fail "cgroup $c used $peak of $limit"
	expect "kills in cgroup $c" "$(awk '$1 == "oom_kill" { print $2 }' "$cg/c$c/memory.events")" 0
done

# Foreign writers, and cgroups that go while they have dirty pages and contexts come and go.
fill "$cg/c0" "$mnt/c1" &
fill "$cg/c1" "$mnt/c0" &
for n in 16 2 8 1 4; do
	echo $n >"$bdi/writeback_contexts"
done
wait
fill "$cg/c2" "$mnt/c2"
for ((c = 0; c < cgroups; c++)); do
	wait_until rmdir "$cg/c$c"
done
echo 1 >"$bdi/writeback_contexts"

remount
for ((c = 0; c < cgroups; c++)); do
	for ((m = 0; m < megabytes; m++)); do
		cmp -s <(yes "$m of $mnt/c$c" | head -c 1M) "$mnt/c$c/d$((m % 8))/f$m" ||
			fail "c$c/d$((m % 8))/f$m is not what was written"
	done
done
umount "$mnt"
check_fs "$fs"
