#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Cgroups are removed while their pages are dirty, and write to files of others.
#
# guest: fs=xfs full-fs=ext4 limit=300

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
fs=${1:-xfs} cgroups=8 files=24 size=$((64 << 10))
cg=/sys/fs/cgroup

make_mount "$fs"
echo 4 >"$bdi/writeback_contexts"
# Nothing is to be written back by itself, so that what is dirty stays so: not for its age, and not
# for being more than the share of a wb, which is next to nothing for one that has written nothing.
echo 0 >/proc/sys/vm/dirty_writeback_centisecs
echo $((700 << 20)) >/proc/sys/vm/dirty_bytes
echo $((600 << 20)) >/proc/sys/vm/dirty_background_bytes
echo 50 >"$bdi/min_ratio"
make_cgroups() {
	for ((c = 0; c < cgroups; c++)); do
		mkdir "$cg/c$c"
		mkdir -p "$mnt/c$c"
	done
}
# dirty_of CGROUP: bytes
dirty_of() { awk '$1 == "file_dirty" { print $2 }' "$cg/c$1/memory.stat"; }
# how many pairs of cgroup and context the disk has, the root's included
wbs() { grep -c '^WbCgIno' "/sys/kernel/debug/bdi/$(basename "$bdi")/wb_stats"; }

make_cgroups
for ((c = 0; c < cgroups; c++)); do
	"$tools/fill" "$cg/c$c" "$mnt/c$c" $files $size "$c" >/dev/null
	dirty=$(dirty_of $c)
	((dirty >= files * size / 2)) || fail "cgroup $c has $dirty dirty bytes of $((files * size))"
done
many=$(wbs)
((many >= cgroups * 2)) || fail "$many wbs are too few for $cgroups cgroups"
start_changing
for ((c = 0; c < cgroups; c++)); do
	rmdir "$cg/c$c"
done
stop_changing

# Foreign writers: each cgroup writes over the files of the next, and another over them again
# all at once, until they change sides.
make_cgroups
start_changing
for round in 1 2 3; do
	workers=()
	for ((c = 0; c < cgroups; c++)); do
		"$tools/fill" "$cg/c$c" "$mnt/c$(((c + round) % cgroups))" $files $size $((c * 10 + round)) sync \
			>"/tmp/manifest$(((c + round) % cgroups))" &
		workers+=($!)
	done
	for worker in "${workers[@]}"; do
		wait "$worker" || fail "a writer failed"
	done
done
for ((c = 0; c < cgroups; c++)); do
	"$tools/fill" "$cg/c$c" "$mnt/c$c" $files $size $((c + 100)) >"/tmp/manifest$c"
done
for ((c = 0; c < cgroups; c++)); do
	rmdir "$cg/c$c"
done
stop_changing
sync

# What belonged to the cgroups goes once it is clean: the kernel looks when a cgroup is removed, and
# puts off what is still dirty then until the next one is.
few() {
	local n
	sync
	mkdir "$cg/last"
	rmdir "$cg/last"
	n=$(wbs)
	((n <= 4))
}
wait_until few
remount
for ((c = 0; c < cgroups; c++)); do
	"$tools/verify" "$mnt/c$c" <"/tmp/manifest$c"
done
umount "$mnt"
check_fs "$fs"
echo "$fs: cgroups went with $many wbs dirty, $changes changes of the number of contexts meanwhile"
